//! The tables in the document are those that the program prints.

use tests::File;

use crate::{measure::measure, report};

#[tokio::test]
async fn the_tables_in_the_document_are_these() {
    let tally = Box::pin(measure()).await;
    File::open("shared/store/README.md")
        .section("hot keys", &report::keys(&tally, false))
        .section("growth", &report::sizes(&tally))
        .hold();
}
