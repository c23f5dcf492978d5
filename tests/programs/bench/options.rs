//! Options of the benchmark.

use std::num::NonZero;

/// What to measure, and how often.
#[derive(Debug)]
pub struct Options {
    /// Rounds of each read.
    pub rounds: usize,
    /// Cold starts of each function.
    pub spawns: usize,
    /// True if there are enough rounds to compare CPU times with their bounds.
    pub judges_cpu: bool,
    /// True if figures are compared with their bounds. The dev profile has no bounds.
    pub judges: bool,
    only: Option<String>,
}

impl Options {
    /// Reads the arguments of this process.
    pub fn read() -> Self {
        let options =
            tests::Options::read("benchmark [--quick] [--dev] [--rounds N] [--only FUNCTION]");
        let is_quick = options.has("--quick");
        let rounds: Option<NonZero<usize>> = options.get("--rounds");
        let (usual, spawns) = if is_quick { (10, 7) } else { (40, 20) };
        Self {
            rounds: rounds.map_or(usual, NonZero::get),
            spawns,
            judges_cpu: !is_quick,
            judges: !options.has("--dev"),
            only: options.get("--only"),
        }
    }

    /// Returns whether a function is to be measured.
    pub fn wants(&self, function: &str) -> bool {
        self.only
            .as_deref()
            .is_none_or(|only| only == function)
    }
}
