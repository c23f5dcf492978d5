//! A running release binary, and the cost of its answers.

use std::{fs, time::Duration};

use serde_json::Value;
use shared::clock::Stopwatch;
use tests::{Release, RuntimeApi, cpu_of};
use tokio::process::Child;

/// A function that answers events.
pub struct Served {
    function: String,
    runtime: RuntimeApi,
    process: Child,
}

/// Milliseconds of a request, on average over those of a round.
#[derive(Clone, Copy, Debug)]
pub struct Sample {
    /// From the event to the answer.
    pub wall: f64,
    /// Of the function's process, in user space and in the kernel.
    pub cpu: f64,
}

impl Served {
    /// Starts a function with these variables besides those that every function has.
    pub async fn start(world: &Release, function: &str, more: &[(&str, &str)]) -> Self {
        let runtime = RuntimeApi::start().await;
        let process = world.start(&runtime, function, more);
        Self {
            function: function.to_owned(),
            runtime,
            process,
        }
    }

    /// The body of the answer to an event, which must have this status.
    pub async fn expect(&self, event: &Value, status: u64) -> Value {
        self.runtime.invoke(event.clone());
        let answer = self.runtime.answer().await;
        let path = &event["rawPath"];
        let function = &self.function;
        assert_eq!(answer["statusCode"], status, "{function}, {path}: {answer}");
        serde_json::from_str(answer["body"].as_str().unwrap()).unwrap()
    }

    /// Measures so many requests, one after another.
    pub async fn sample(&self, event: &Value, requests: u32) -> Sample {
        let cpu = self.cpu();
        let begin = Stopwatch::start();
        for _ in 0..requests {
            self.runtime.invoke(event.clone());
            self.runtime.raw_answer().await;
        }
        let wall = begin.elapsed() / requests;
        let cpu = self.cpu().saturating_sub(cpu) / requests;
        Sample {
            wall: milliseconds(wall),
            cpu: milliseconds(cpu),
        }
    }

    /// CPU time of the process so far.
    fn cpu(&self) -> Duration {
        cpu_of(self.id())
    }

    /// Resident memory, in bytes.
    pub fn resident(&self) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.id())).unwrap();
        let line = status
            .lines()
            .find_map(|line| line.strip_prefix("VmRSS:"));
        let line = line.unwrap();
        let kibibytes: u64 = line
            .trim()
            .trim_end_matches(" kB")
            .parse()
            .unwrap();
        kibibytes * 1024
    }

    fn id(&self) -> u32 {
        self.process.id().unwrap()
    }
}

pub fn milliseconds(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1_000.0
}
