//! Cold starts of the API functions, from spawn to the first answer, as a ratio to that of an empty
//! function in the same run.
//!
//! `cargo build --release --bins && cargo run -p tests --bin cold-start`
//!
//! The median of 20 spawns each, which take turns, so that what else the machine does meets all
//! alike. The first answer of a function takes the caller's batch and a list from the table.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a program for the terminal, which ends with the first thing that is not as it should be"
)]

use std::time::{Duration, Instant};

use tests::{Release, RuntimeApi, api_functions};

const SPAWNS: usize = 20;

#[tokio::main]
async fn main() {
    let world = Release::world().await;
    let mut functions = vec![("empty-function", "/", 200)];
    functions.extend(api_functions().map(|(name, api)| (name, api.read, api.status)));
    let mut times = vec![Vec::with_capacity(SPAWNS); functions.len()];
    for _ in 0..SPAWNS {
        for ((function, path, status), times) in functions.iter().zip(&mut times) {
            times.push(spawn(&world, function, path, *status).await);
        }
    }
    let medians: Vec<Duration> = times.into_iter().map(median).collect();
    for ((function, ..), time) in functions.iter().zip(&medians) {
        let ratio = time.as_secs_f64() / medians[0].as_secs_f64();
        println!("{function:18} {time:>8.1?}  {ratio:4.1} × empty");
    }
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

async fn spawn(world: &Release, function: &str, path: &str, status: u64) -> Duration {
    let runtime = RuntimeApi::start().await;
    runtime.invoke(world.event(path));
    let begin = Instant::now();
    let mut process = world.start(&runtime, function);
    let answer = runtime.answer().await;
    let time = begin.elapsed();
    assert_eq!(answer["statusCode"], status, "{function}: {answer}");
    process.kill().await.unwrap();
    time
}
