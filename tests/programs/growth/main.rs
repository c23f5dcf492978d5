//! Growth on paper: the units of each operation by partition keys, and the rate at which each key
//! throttles. Then what throttles first in deployments of three sizes, and the costs of requests.
//!
//! ```text
//! cargo run --bin growth
//! ```
//!
//! The functions run in this process on the embedded table. A proxy takes their requests apart.
//! `--all` prints the keys of single records too. `--cpu` measures the CPU time of the release
//! binaries instead, with `--dev` of the dev profile's. `usage.rs` has the assumptions, and the
//! figures of `--cpu`.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a program for the terminal, which ends with the first thing that is not as it should be"
)]

mod costs;
mod cpu;
#[cfg(test)]
mod document;
mod forecast;
mod keys;
mod measure;
mod parts;
mod recorder;
mod report;
mod tally;
mod units;
mod usage;

use tests::Options;

#[tokio::main]
async fn main() {
    let options = Options::read("growth [--all] [--cpu] [--dev]");
    if options.has("--cpu") {
        for line in Box::pin(cpu::lines()).await {
            println!("{line}");
        }
        return;
    }
    let measured = Box::pin(measure::measure()).await;
    let keys = report::keys(&measured.tally, options.has("--all"));
    let costs = costs::lines(&measured);
    for line in keys
        .iter()
        .chain(&report::sizes(&measured))
        .chain(&costs)
    {
        println!("{line}");
    }
}
