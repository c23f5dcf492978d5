//! Benchmark of Workdesk's functions, side by side in one run and as ratios, since a time alone
//! says more of the machine than of the function. Exits with 1 when a bound is broken.
//!
//! ```text
//! cargo build --release --bins --workspace --exclude local --exclude tests
//! cargo run --bin benchmark
//! ```
//!
//! `--rounds N` measures so many rounds of each read instead of 40, `--only NAME` one function
//! alone. `--quick` makes do with 10 rounds and fewer cold starts, and judges no CPU time by so
//! few. `--dev` runs the binaries of the dev profile, and judges nothing.
//!
//! Each release binary is handed gateway events by a Lambda runtime API in this process, one after
//! another, and answers them from the embedded table:
//!
//! - Reads: wall and CPU time of a request, beside `bare-sdk`, which sends the same requests to the
//!   table and does nothing else. Which ones, and which of them at the same time, is recorded at a
//!   proxy while the function answers. Both take turns in each round; a time is the median of the
//!   rounds, a ratio the median of the rounds' ratios.
//! - Cold start: from spawn to the first answer, beside an empty function and beside `bare-sdk`
//!   with the requests of that answer. All take turns as well.
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
mod pair;
mod reads;
mod recorder;
mod report;
mod served;

use std::{io::Write, process::ExitCode};

use flate2::{Compression, write::DeflateEncoder};
use futures::future::join_all;
use shared::clock::Stopwatch;
use tests::{Release, binary};

use self::{
    cold_start::ColdStarts,
    options::Options,
    pair::Pair,
    reads::{FUNCTIONS, Function},
    report::{FunctionRow, ReadRow, Report},
    served::Served,
};

/// Processes of each function and of `bare-sdk`. They share the rounds, since a process keeps its
/// luck with its memory.
const PAIRS: usize = 5;
/// Requests before a function's memory is looked at.
const REQUESTS_BEFORE_MEMORY: usize = 1_000;

#[tokio::main]
async fn main() -> ExitCode {
    let began = Stopwatch::start();
    let options = Options::read();
    let world = Box::pin(Release::world()).await;
    reads::create_what_is_missing(&world, &options).await;

    let mut functions: Vec<_> = FUNCTIONS.iter().collect();
    functions.retain(|function| options.wants(function.name));
    let mut requests = Vec::new();
    let mut reads = Vec::new();
    for function in &functions {
        progress(began, &format!("reads of {}", function.name));
        let recorded = recorder::record(&world, function).await;
        reads.extend(measure(&world, function, &recorded, &options).await);
        requests.push(recorded);
    }
    progress(began, "cold starts");
    let recorded = functions.iter().copied().zip(&requests);
    let starts = ColdStarts::measure(&world, recorded, options.spawns).await;
    progress(began, "memory and packages");
    let sizes = functions
        .iter()
        .map(|function| size(&world, function));
    let report = Report::new(reads, join_all(sizes).await, starts);
    progress(began, "done");
    println!("{report}");
    if !options.judges || report.is_within_bounds() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

fn progress(began: Stopwatch, step: &str) {
    eprintln!("{:3} s  {step}", began.elapsed().as_secs());
}

/// Measures all reads of a function.
async fn measure(
    world: &Release,
    function: &Function,
    recorded: &str,
    options: &Options,
) -> Vec<ReadRow> {
    let mut rounds = vec![Vec::new(); function.reads.len()];
    for _ in 0..PAIRS {
        let pair = Pair::start(world, function.name, recorded).await;
        for (read, rounds) in function.reads.iter().zip(&mut rounds) {
            let event = world.event("GET", read.path, None);
            let count = options.rounds.div_ceil(PAIRS);
            rounds.extend(pair.take_turns(&event, count).await);
        }
    }
    let rows = function.reads.iter().zip(&rounds);
    let rows = rows.map(|(read, rounds)| ReadRow::of(read, rounds, options));
    rows.collect()
}

/// A function's memory and package.
async fn size(world: &Release, function: &Function) -> FunctionRow {
    let served = Served::start(world, function.name, &[]).await;
    for read in function
        .reads
        .iter()
        .cycle()
        .take(REQUESTS_BEFORE_MEMORY)
    {
        served
            .sample(&world.event("GET", read.path, None), 1)
            .await;
    }
    FunctionRow {
        name: function.name,
        resident: served.resident(),
        package: package(function.name),
        cold_start: None,
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
