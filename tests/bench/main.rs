//! What Workdesk's functions take, side by side in one run and as ratios, since a time alone says
//! more of the machine than of the function. Exits with 1 when a bound is broken.
//!
//! ```text
//! cargo build --release --bins --workspace --exclude local --exclude tests
//! cargo run -p tests --bin benchmark
//! ```
//!
//! `--rounds N` measures so many rounds of each read instead of 30, `--quick` 8 of them and fewer
//! cold starts, `--only NAME` one function alone.
//!
//! Each release binary is handed gateway events by a Lambda runtime API in this process, one after
//! another, and answers them from the embedded table:
//!
//! - Reads: wall and CPU time of a request, beside `bare-sdk`, which sends the same requests to the
//!   table and does nothing else. Which ones, and which of them at the same time, is recorded at a
//!   proxy while the function answers. Both take turns in each round; a time is the median of the
//!   rounds, a ratio the median of the rounds' ratios.
//! - Cold start: from spawn to the first answer, beside an empty function and beside `bare-sdk` with
//!   the requests of that answer. All take turns as well.
//! - Memory: what is resident after 1,000 requests, all reads of the function in turn.
//! - Package: what the binary takes when it is zipped.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a program for the terminal, which ends with the first thing that is not as it should be"
)]

mod cold_start;
mod options;
mod reads;
mod recorder;
mod report;
mod served;

use std::{process::ExitCode, time::Instant};

use flate2::{Compression, write::DeflateEncoder};
use std::io::Write;
use tests::{Release, binary};

use self::{
    cold_start::ColdStarts,
    options::Options,
    reads::{FUNCTIONS, Function},
    report::{FunctionRow, ReadRow, Report},
    served::{Sample, Served},
};

/// Requests of a round, one after another.
const REQUESTS: u32 = 5;
/// Requests before a function's memory is looked at.
const REQUESTS_BEFORE_MEMORY: usize = 1_000;

#[tokio::main]
async fn main() -> ExitCode {
    let began = Instant::now();
    let options = Options::from_arguments();
    let world = Release::world().await;
    reads::create_what_is_missing(&world, &options).await;

    let mut report = Report::default();
    let mut requests = Vec::new();
    let functions = || FUNCTIONS.iter().filter(|one| options.wants(one.name));
    for function in functions() {
        progress(began, &format!("{}: reads", function.name));
        let recorded = recorder::record(&world, function).await;
        let row = measure(&world, function, &recorded, &options, &mut report.reads).await;
        report.functions.push(row);
        requests.push(recorded);
    }
    progress(began, "cold starts");
    let starts = ColdStarts::measure(&world, functions().zip(&requests), options.spawns).await;
    report.add(starts);
    progress(began, "done");
    println!("{report}");
    if report.is_within_bounds() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

fn progress(began: Instant, what: &str) {
    eprintln!("{:3} s  {what}", began.elapsed().as_secs());
}

/// Measures all reads of a function, its memory and its package.
async fn measure(
    world: &Release,
    function: &Function,
    recorded: &str,
    options: &Options,
    rows: &mut Vec<ReadRow>,
) -> FunctionRow {
    let ours = Served::start(world, function.name, &[]).await;
    let bare = Served::start(world, "bare-sdk", &[("TABLE_REQUESTS", recorded)]).await;
    let mut requests = 0;
    for read in function.reads {
        let event = world.event("GET", read.path, None);
        for _ in 0..REQUESTS {
            ours.expect(&event, 200).await;
            bare.expect(&event, 200).await;
        }
        let mut rounds = Vec::new();
        for round in 0..options.rounds {
            // Whoever is second finds the table's cache warm, or the machine busier.
            let pair = if round.is_multiple_of(2) {
                let ours = ours.sample(&event, REQUESTS).await;
                (ours, bare.sample(&event, REQUESTS).await)
            } else {
                let bare = bare.sample(&event, REQUESTS).await;
                (ours.sample(&event, REQUESTS).await, bare)
            };
            rounds.push(pair);
        }
        requests += (options.rounds + 1) * REQUESTS as usize;
        rows.push(row(read, &rounds));
    }
    let events = function.reads.iter().cycle();
    for read in events.take(REQUESTS_BEFORE_MEMORY.saturating_sub(requests)) {
        ours.expect(&world.event("GET", read.path, None), 200).await;
    }
    FunctionRow {
        name: function.name,
        resident: ours.resident(),
        package: package(function.name),
        cold_start: None,
    }
}

fn row(read: &reads::Read, rounds: &[(Sample, Sample)]) -> ReadRow {
    let median_of = |of: fn(&(Sample, Sample)) -> f64| median(rounds.iter().map(of));
    ReadRow {
        read: read.title,
        most_cpu: read.most_cpu,
        wall: median_of(|(ours, _)| ours.wall),
        wall_ratio: median_of(|(ours, bare)| ours.wall / bare.wall),
        cpu: median_of(|(ours, _)| ours.cpu),
        cpu_ratio: median_of(|(ours, bare)| ours.cpu / bare.cpu),
    }
}

/// The value in the middle; of an even number of them, the upper of both.
fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_unstable_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Bytes of a binary as a package has it, which is deflated at the usual level.
fn package(function: &str) -> usize {
    let binary = std::fs::read(binary(function)).unwrap();
    let mut packed = DeflateEncoder::new(Vec::new(), Compression::default());
    packed.write_all(&binary).unwrap();
    packed.finish().unwrap().len()
}
