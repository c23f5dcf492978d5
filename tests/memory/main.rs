//! Resident memory of the API functions after 1,000 requests each. Exits with 1 when a function
//! takes 25 MB or more.
//!
//! `cargo build --release --bins && cargo run -p tests --bin memory`
//!
//! Each release binary is handed gateway events by a Lambda runtime API, one after another, and
//! answers them from the embedded table: a list of a hundred rows, or whatever is its largest.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a program for the terminal, which ends with the first thing that is not as it should be"
)]

use std::{fs, process::ExitCode};

use tests::{ApiFunction, Release, RuntimeApi, api_functions};

const REQUESTS: usize = 1_000;
const MOST_BYTES: u64 = 25 * 1024 * 1024;

#[tokio::main]
async fn main() -> ExitCode {
    let world = Release::world().await;
    let mut fits = true;
    for (function, api) in api_functions() {
        let bytes = measure(&world, function, api).await;
        fits &= bytes < MOST_BYTES;
        println!("{function:18} {:5.1} MB", mebibytes(bytes));
    }
    if fits {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

#[expect(clippy::cast_precision_loss, reason = "for the eye")]
fn mebibytes(bytes: u64) -> f64 {
    bytes as f64 / 1024.0 / 1024.0
}

async fn measure(world: &Release, function: &str, api: ApiFunction) -> u64 {
    let runtime = RuntimeApi::start().await;
    let mut process = world.start(&runtime, function);
    let event = world.event(api.read);
    for _ in 0..REQUESTS {
        runtime.invoke(event.clone());
        let answer = runtime.answer().await;
        assert_eq!(answer["statusCode"], api.status, "{function}: {answer}");
    }
    let bytes = resident(process.id().unwrap());
    process.kill().await.unwrap();
    bytes
}

/// Resident memory of a process, in bytes.
fn resident(process: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))
        .unwrap();
    let kibibytes: u64 = line.trim().trim_end_matches(" kB").parse().unwrap();
    kibibytes * 1024
}
