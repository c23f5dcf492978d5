//! The fault campaign: sixteen clients work with the release binaries of all functions while
//! something befalls them, one kind of fault after another and then all together. In the end it
//! counts, from the table and from the demo billing system, and prints a table: what was lost, done
//! twice, left hanging or answered wrongly. Exits with 1 unless every count is zero and every kind
//! has struck as often as planned. A fault of a target system strikes when it meets a call.
//!
//! ```text
//! cargo build --release --bins --workspace --exclude local --exclude tests
//! cargo run --bin fault-campaign
//! ```
//!
//! Each kind strikes a thousand times, or with `--each N` as often as it says. Together with all
//! others each strikes a quarter as often. With `--quick` each strikes ten times, there are eight
//! clients, and the kinds of one system strike in one story. The breakers of connections are closed
//! over and over, since nothing strikes a system that is left alone. Of the actions that were
//! approved a quarter must succeed. `--seed N` chooses the struck requests, as far as clients at
//! the same time let it. `--only WORD` runs the kinds with that word in their titles.
//! `--together` tells the last story alone, of all kinds.
//!
//! With `--former FOLDER`, every other instance of `tasks`, `publisher` and `sweeper` runs the
//! binary of that folder, from another release. Each instance ends after a few events, so that both
//! write to the same records by turns.
//!
//! `--neighbor` runs no fault. It times an organization beside another one that makes noise.
//!
//! Time passes quicker here: a worker's lease is 4 seconds, and a message is visible again after
//! 3 seconds. Once a story is over, calls take their usual time. The clocks of functions are wound
//! forward until all work with a bound has ended. Within the hour of an approval they go from one
//! attempt of an action to the next, and then on by up to a day and a little.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a program for the terminal, which ends with the first thing that is not as it should be"
)]

mod agent;
mod alerts;
mod client;
mod clock;
mod disk;
mod fates;
mod feed;
mod kind;
mod kms;
mod lambda;
mod ledger;
mod neighbor;
mod options;
mod queue;
mod receiver;
mod story;
mod verdict;
mod world;

use std::{process::ExitCode, sync::Arc};

use shared::clock::Stopwatch;
use strum::VariantArray;
use tokio::{sync::Semaphore, task::JoinHandle};

use crate::kind::Kind;

use self::{options::Options, verdict::Verdict, world::World};

/// Stories that are told at the same time: much of each is waiting.
const STORIES: usize = 3;

/// Most printed lines about the failures of a kind.
const MOST_LINES: usize = 20;

/// A line of the table of results.
struct Row {
    title: &'static str,
    struck: usize,
    /// Kinds with fewer strikes than planned, and faults that met no call.
    missing: Vec<String>,
    requests: usize,
    verdict: Verdict,
}

#[tokio::main]
async fn main() -> ExitCode {
    let options = Options::read();
    if let Some(file) = &options.engine {
        disk::serve(file).await;
        return ExitCode::SUCCESS;
    }
    let clock_shift = clock::compile();
    if options.neighbor {
        neighbor::measure(&options, &clock_shift).await;
        return ExitCode::SUCCESS;
    }
    let began = Stopwatch::start();
    let campaign = Campaign {
        options,
        clock_shift,
        stories: Semaphore::new(STORIES),
    };
    let campaign = Arc::new(campaign);
    let options = &campaign.options;
    // Those that take longest begin first.
    let mut stories = options.stories();
    stories.sort_by_key(|(_, kinds)| {
        !kinds
            .iter()
            .all(|kind| kind.concerns_target_systems())
    });
    let with_all_together = options.together || options.only.is_none();
    let all_together = with_all_together.then(|| {
        // What fills the disk of an engine of its own, and what a client leaves out, cannot be
        // together with all others.
        let apart = [Kind::DiskFull, Kind::ClientTwiceWithoutKey];
        let kinds = Kind::VARIANTS.iter().copied();
        let kinds = kinds.filter(|kind| !apart.contains(kind));
        campaign.begin("all together", kinds.collect(), options.each.div_ceil(4))
    });
    let stories = stories.into_iter();
    let stories = stories.map(|(title, kinds)| campaign.begin(title, kinds, options.each));
    let rows: Vec<JoinHandle<Row>> = stories.chain(all_together).collect();
    println!("| fault | struck | requests | lost | duplicated | stuck | answered wrongly |");
    println!("|---|---|---|---|---|---|---|");
    let mut is_clean = true;
    for row in rows {
        let row = row.await.unwrap();
        let verdict = &row.verdict;
        println!(
            "| {} | {} | {} | {} | {} | {} | {} |",
            row.title,
            row.struck,
            row.requests,
            verdict.lost.len(),
            verdict.duplicated.len(),
            verdict.stuck.len(),
            verdict.wrong.len(),
        );
        for (name, line) in verdict.lines().take(MOST_LINES) {
            eprintln!("{}: {name}: {line}", row.title);
        }
        for line in &row.missing {
            eprintln!("{}: it did not strike often enough: {line}", row.title);
        }
        if verdict.is_idle() {
            let succeeded = verdict.succeeded;
            let approved = verdict.approved;
            eprintln!(
                "{}: only {succeeded} of {approved} actions succeeded",
                row.title
            );
        }
        is_clean &= verdict.is_clean() && row.missing.is_empty() && !verdict.is_idle();
    }
    println!("\n{} s, seed {}", began.elapsed().as_secs(), options.seed);
    if is_clean {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// State of all stories.
struct Campaign {
    options: Options,
    clock_shift: String,
    /// Room for stories at the same time.
    stories: Semaphore,
}

impl Campaign {
    /// Has a story told while these kinds strike so often, when there is room for one. Its verdict
    /// is found while others are told.
    fn begin(
        self: &Arc<Self>,
        title: &'static str,
        kinds: Vec<Kind>,
        each: usize,
    ) -> JoinHandle<Row> {
        let campaign = self.clone();
        let with_work = kinds
            .iter()
            .any(|kind| !kind.concerns_the_agent());
        tokio::spawn(async move {
            let room = campaign
                .stories
                .acquire()
                .await
                .unwrap();
            let options = &campaign.options;
            let began = Stopwatch::start();
            let world = World::start((&kinds, each), options, &campaign.clock_shift).await;
            let ledger = world.story(options, with_work).await;
            drop(room);
            let struck = world.fates.struck();
            let alerts = world.shared.alerts();
            eprintln!(
                "{title}: {} requests, {alerts} alerts, {} instances, {} s",
                ledger.requests,
                world.lambda.started(),
                began.elapsed().as_secs()
            );
            let former = world.lambda.of_former();
            let missing = struck
                .iter()
                .filter(|(_, count)| **count < each);
            let missing = missing.map(|(kind, count)| format!("{}: {count}", kind.title()));
            let unmet = ledger.unmet.iter();
            let unmet = unmet.map(|(place, count)| format!("{count} met no call: {place}"));
            let missing = missing
                .chain(unmet)
                .chain(former)
                .collect();
            let requests = ledger.requests;
            let verdict = verdict::judge(world, ledger).await;
            let succeeded = verdict.succeeded;
            let approved = verdict.approved;
            eprintln!(
                "{title}: {succeeded} of {approved} actions succeeded; others: {:?}",
                verdict.others
            );
            Row {
                title,
                struck: struck.values().sum(),
                missing,
                requests,
                verdict,
            }
        })
    }
}
