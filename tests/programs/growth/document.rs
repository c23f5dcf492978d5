//! The tables in the documents are those that the program prints.

use tests::File;

use crate::{costs, measure::measure, report};

#[tokio::test]
async fn the_tables_in_the_documents_are_these() {
    let measured = Box::pin(measure()).await;
    let tally = &measured.tally;
    let costs = File::open("infra/COSTS.md").section("costs", &costs::lines(&measured));
    let growth = File::open("shared/store/README.md")
        .section("hot keys", &report::keys(tally, false))
        .section("growth", &report::sizes(&measured));
    File::hold_all([costs, growth]);
}
