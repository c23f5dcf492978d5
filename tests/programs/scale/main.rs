//! Costs of the lists of a large organization, beside those of a small one. A walk through all of
//! its tasks must find each of them once while others write. Exits with 1 when a page costs more
//! than it may.
//!
//! ```text
//! cargo run --bin scale
//! ```
//!
//! The large organization has 100,000 tasks, 2,000 projects and 200 users, the small one 100, 10
//! and 10; `--quick` makes do with 5,000, 100 and 20. Both are in an embedded table, the functions
//! in this process. Requests and capacity units are what the table says they took; times are those
//! of this build on this machine, the middle one of five.
//!
//! Before that, the sweeper's release binary works off 20,000 due items, with `--quick` 1,000.
//! `--dev` takes the binary of the dev profile, and `--due` does nothing else.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a program for the terminal, which ends with the first thing that is not as it should be"
)]

mod due;
mod fill;
mod organization;
mod walk;

use std::process::ExitCode;

use shared::clock::Stopwatch;
use tests::Options;

use self::{
    fill::Size,
    organization::{Organization, Taken},
};

/// Reads of both organizations.
#[rustfmt::skip] // A line each.
const READS: &[(&str, &str)] = &[
    ("100 joined tasks", "/api/tasks?limit=100"),
    ("the newest first", "/api/tasks?limit=100&sort=-id"),
    ("by status", "/api/tasks?limit=100&status=blocked"),
    ("by priority", "/api/tasks?limit=100&priority=urgent"),
    ("by assignee", "/api/tasks?limit=100&assigneeId=2"),
    ("by assignee and due date", "/api/tasks?limit=100&assigneeId=2&sort=dueDate"),
    ("by two assignees", "/api/tasks?limit=100&assigneeId=2,3"),
    ("by project", "/api/tasks?limit=100&projectId=1"),
    ("by project and order", "/api/tasks?limit=100&projectId=1&sort=order"),
    ("by milestone", "/api/tasks?limit=100&milestoneId=1"),
    ("by phase", "/api/tasks?limit=100&phaseId=1"),
    ("by tag", "/api/tasks?limit=100&tagId=1"),
    ("due before", "/api/tasks?limit=100&dueBefore=2026-02-01T00:00:00Z"),
    ("due after", "/api/tasks?limit=100&dueAfter=2026-02-25T00:00:00Z"),
    ("updated since", "/api/tasks?limit=100&updatedSince=2027-01-01T00:00:00Z"),
    ("a project's tasks", "/api/projects/1/tasks?limit=100"),
    ("a project's milestones", "/api/projects/1/milestones"),
    ("the dashboard", "/api/managed-services/dashboard"),
    ("a search", "/api/managed-services/search-references?query=bill"),
    ("1,000 tasks", "/api/tasks"),
    ("the first created first", "/api/tasks?limit=100&sort=createdAt"),
    ("the last changed first", "/api/tasks?limit=100&sort=-updatedAt"),
    ("the last changed of a status", "/api/tasks?limit=100&sort=-updatedAt&status=blocked"),
    ("search: a rare word", "/api/search?query=customer+7"),
    ("search: a frequent word", "/api/search?query=sentence"),
    ("search: two words of many records, and of none together", "/api/search?query=sentence+customer"),
];

/// Returns whether a page costs no more than it may, whatever the organization holds. It may take
/// as many requests as the dashboard and one more, and two reads of 1,000 rows, of which 8 KB are a
/// unit. Each of its own rows may name up to two more records.
fn is_bounded(taken: &Taken) -> bool {
    let rows = u32::try_from(taken.rows).unwrap();
    taken.used.requests <= 8 + rows / 40 && taken.used.units() <= 250.0 + 2.0 * f64::from(rows)
}

#[tokio::main]
async fn main() -> ExitCode {
    let options = Options::read("scale [--quick] [--dev] [--due]");
    let is_quick = options.has("--quick");
    let drained = Box::pin(due::drain(if is_quick { 1_000 } else { 20_000 })).await;
    println!("{drained}\n");
    if !drained.is_complete() {
        eprintln!("the sweeper left due items");
        return ExitCode::FAILURE;
    }
    if options.has("--due") {
        return ExitCode::SUCCESS;
    }
    let began = Stopwatch::start();
    // The futures are large.
    let small = Box::pin(Organization::start(Size::SMALL)).await;
    let size = if is_quick { Size::MEDIUM } else { Size::LARGE };
    let large = Box::pin(Organization::start(size)).await;
    eprintln!("{} s to fill both", began.elapsed().as_secs());

    // A first answer tells of a cold start.
    small.read(READS[0].1).await;
    println!("| read | tasks | rows | requests | units | ms | next page |");
    println!("|---|---|---|---|---|---|---|");
    let mut all_bounded = true;
    for (title, path) in READS {
        for organization in [&small, &large] {
            let taken = organization.read(path).await;
            println!(
                "| {title} | {} | {} | {} | {:.1} | {:.1} | {} |",
                organization.size.tasks,
                taken.rows,
                taken.used.requests,
                taken.used.units(),
                taken.milliseconds,
                if taken.goes_on { "yes" } else { "" },
            );
            if !is_bounded(&taken) {
                eprintln!("{title}: that is more than a page may take");
                all_bounded = false;
            }
        }
    }
    let began = Stopwatch::start();
    let walked = walk::through_all_tasks(&large).await;
    println!("\n{walked}, {} s", began.elapsed().as_secs());
    if all_bounded && walked.is_complete() {
        ExitCode::SUCCESS
    } else {
        eprintln!("a page took more than it may, or the walk missed a task");
        ExitCode::FAILURE
    }
}
