//! From spawn to the first answer.

use shared::clock::Stopwatch;
use tests::{Release, RuntimeApi};

use crate::{median, reads::Function, served::milliseconds};

/// Medians of as many starts.
#[derive(Debug)]
pub struct ColdStarts {
    /// Milliseconds of a function that does nothing.
    pub empty: f64,
    pub functions: Vec<ColdStart>,
}

/// A function's cold start.
#[derive(Clone, Copy, Debug)]
pub struct ColdStart {
    /// Milliseconds.
    pub time: f64,
    /// As a multiple of the cold start of a function that does nothing.
    pub to_empty: f64,
    /// As a multiple of the cold start of a bare function with the same requests.
    pub to_bare: f64,
}

impl ColdStarts {
    /// Starts the functions, each with the requests of its first read, so often, in turn.
    pub async fn measure<'a>(
        world: &Release,
        functions: impl Iterator<Item = (&'a Function, &'a String)>,
        spawns: usize,
    ) -> Self {
        let functions: Vec<_> = functions.collect();
        let mut empty = Vec::new();
        let mut turns = vec![Vec::new(); functions.len()];
        for _ in 0..spawns {
            let nothing = start(world, "empty-function", "/", &[]).await;
            empty.push(nothing);
            for ((function, requests), turns) in functions.iter().zip(&mut turns) {
                let path = function.reads[0].path;
                let ours = start(world, function.name, path, &[]).await;
                let requests = [("TABLE_REQUESTS", requests.as_str())];
                turns.push(ColdStart {
                    time: ours,
                    to_empty: ours / nothing,
                    to_bare: ours / start(world, "bare-sdk", path, &requests).await,
                });
            }
        }
        let functions = turns.iter().map(|turns| ColdStart {
            time: median(turns.iter().map(|turn| turn.time)),
            to_empty: median(turns.iter().map(|turn| turn.to_empty)),
            to_bare: median(turns.iter().map(|turn| turn.to_bare)),
        });
        let empty = median(empty.into_iter());
        Self {
            empty,
            functions: functions.collect(),
        }
    }
}

async fn start(world: &Release, function: &str, path: &str, more: &[(&str, &str)]) -> f64 {
    let runtime = RuntimeApi::start().await;
    runtime.invoke(world.event("GET", path, None));
    let begin = Stopwatch::start();
    let mut process = world.start(&runtime, function, more);
    let answer = runtime.raw_answer().await;
    let time = begin.elapsed();
    let answer: serde_json::Value = serde_json::from_slice(&answer).unwrap();
    assert_eq!(answer["statusCode"], 200, "{function}, {path}: {answer}");
    process.kill().await.unwrap();
    milliseconds(time)
}
