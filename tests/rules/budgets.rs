//! Table requests of each operation, held against its budget.

use std::collections::BTreeSet;

use tests::{
    File,
    support::{
        Used, World,
        budgets::{ROWS, USUAL, budget},
    },
};

/// The document with the table.
const DOCUMENT: &str = "shared/store/BUDGETS.md";

#[tokio::test]
async fn every_operation_takes_what_its_row_says() {
    let world = World::start().await;
    let requests = world.requests();
    let mut others = Vec::new();
    for request in &requests {
        // Its first request, for which an instance has to reserve ids.
        let instance = world.api().other_instances().await;
        let caller = world
            .caller_of(request)
            .await
            .before(instance);
        world.api().counter.take();
        let answer = request.by(&caller).await;
        let used = world.api().counter.take();
        let operation = request.operation();
        assert!(answer.status < 400, "{operation}: {}", answer.text);
        if used != budget(&operation).used {
            others.push(format!("{operation}: {used:?}"));
        }
    }
    assert!(others.is_empty(), "rows to look at: {others:#?}");
    let named: BTreeSet<_> = ROWS
        .iter()
        .map(|row| row.operation)
        .collect();
    assert_eq!(named.len(), ROWS.len(), "operations with two rows");
    assert_eq!(named.len(), requests.len(), "rows of no operation");
}

#[tokio::test]
async fn a_token_takes_one_request_more_before_all_others() {
    let world = World::start().await;
    let mut requests = world.requests();
    requests.retain(|request| request.takes_tokens);
    assert!(requests.len() > 30, "{}", requests.len());
    for request in &requests {
        let script = world.script().await;
        let script = script.before(world.api().other_instances().await);
        world.api().counter.take();
        let answer = request.by(&script).await;
        let used = world.api().counter.take();
        let operation = request.operation();
        assert!(answer.status < 300, "{operation}: {}", answer.text);
        let Used { in_sequence, total } = budget(&operation).used;
        let more = Used {
            in_sequence: in_sequence + 1,
            total: total + 1,
        };
        assert_eq!(used, more, "{operation}");
    }
}

#[test]
fn an_unusual_budget_has_a_reason() {
    for row in ROWS
        .iter()
        .filter(|row| row.because.is_empty())
    {
        let Used { in_sequence, total } = row.used;
        let is_usual = in_sequence <= USUAL.in_sequence && total <= USUAL.total;
        assert!(is_usual, "{}", row.operation);
    }
}

#[test]
fn the_table_in_the_document_is_this_one() {
    File::open(DOCUMENT)
        .section("budgets", &table())
        .hold();
}

/// The rows as Markdown, between empty lines.
fn table() -> Vec<String> {
    let rows = ROWS.iter().map(|row| {
        let Used { in_sequence, total } = row.used;
        let operation = row.operation;
        let because = row.because;
        format!("| {in_sequence} | {total} | `{operation}` | {because} |").replace("|  |", "| |")
    });
    tests::table("| one after another | in all | operation | why |", rows)
}
