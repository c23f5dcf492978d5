//! Costs of an idle stack, from the template and list prices.

use shared::store::upkeep::{DueCounts, Shard};
use tests::{File, support::roles, table};

use super::{alarms::Bill, metrics};

/// List prices of us-east-1 in dollars, as of 2025: of a million GB-seconds, runs, read units,
/// requests of SQS.
const GB_SECONDS: f64 = 13.33;
const RUNS: f64 = 0.20;
const READS: f64 = 0.125;
const QUEUE_REQUESTS: f64 = 0.40;
/// Of a GB of logs, an own metric and a key.
const LOGS: f64 = 0.50;
const OWN_METRIC: f64 = 0.30;
const KEY: f64 = 1.00;

/// Minutes of a month, in millions.
const MINUTES: f64 = 0.0432;
/// Seconds and kB of log of an idle run of the sweeper.
const RUN_SECONDS: f64 = 0.06;
const RUN_LOG: f64 = 0.8;
/// Millions of requests a month by which Lambda asks a queue.
const POLLS: f64 = 0.65;

/// The bound of an idle stack with alarms.
const MOST: f64 = 8.00;

#[test]
fn the_costs_of_an_idle_stack_are_those_of_the_template() {
    let template = roles::template();
    let number = |count: usize| f64::from(u32::try_from(count).unwrap());
    let sweeper = &template["Resources"]["Sweeper"]["Properties"];
    let memory = sweeper["MemorySize"].as_f64().unwrap() / 1_024.0;
    let queues = roles::functions(&template)
        .flat_map(|(_, _, function)| {
            function["Events"]
                .as_object()
                .into_iter()
                .flatten()
        })
        .filter(|(_, event)| event["Type"] == "SQS")
        .count();
    let queries = Shard::all().count() * DueCounts::KINDS.len();
    let bill = Bill::of(&template);
    let functions = MINUTES * (RUNS + GB_SECONDS * RUN_SECONDS * memory);
    let idle = [
        (
            "functions: the sweeper, once a minute, 60 ms".to_owned(),
            functions,
        ),
        (
            format!("table: {queries} × ½ read units a minute"),
            MINUTES * number(queries) / 2.0 * READS,
        ),
        (
            format!("queues: Lambda asks each of {queues} 650,000 times"),
            number(queues) * POLLS * QUEUE_REQUESTS,
        ),
        ("logs: 0.8 kB a run".to_owned(), MINUTES * RUN_LOG * LOGS),
        ("one own metric".to_owned(), OWN_METRIC),
        ("key".to_owned(), KEY),
    ];
    let without: f64 = idle
        .iter()
        .map(|(_, dollars)| dollars)
        .sum();
    let with = without + bill.dollars();
    assert!(with <= MOST, "{with}");
    let alarms = format!(
        "alarms: {} metrics, and {} composite alarm",
        bill.metrics, bill.composites
    );
    let own = metrics::of_a_busy_stack();
    let rows = idle.into_iter().chain([
        ("together, with `Alarms=false`".to_owned(), without),
        (alarms, bill.dollars()),
        ("together, with alarms".to_owned(), with),
        (
            format!("own metrics of a busy stack: up to {own}"),
            OWN_METRIC * number(own),
        ),
    ]);
    let rows = rows.map(|(part, dollars)| format!("| {part} | {dollars:.2} |"));
    let lines = table("| a month | $ |", rows);
    File::open("infra/COSTS.md")
        .section("idle costs", &lines)
        .hold();
    let page = File::open("README.md");
    let sentence =
        format!("An idle stack costs {without:.2} US dollars a month, {with:.2} with alarms.");
    assert!(
        page.text().contains(&sentence),
        "README.md lacks: {sentence}"
    );
}
