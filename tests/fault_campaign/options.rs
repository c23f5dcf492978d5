//! What the program is asked for.

use std::time::Duration;

use crate::kind::Kind;

/// How often each kind strikes, unless it is said.
const EACH: usize = 1_000;
const QUICK: usize = 100;

/// What the program is asked for.
#[derive(Debug)]
pub struct Options {
    pub each: usize,
    pub seed: u64,
    /// Only the kinds whose titles have this word.
    pub only: Option<String>,
    /// Instead of the campaign: run an engine on this file.
    pub engine: Option<String>,
}

impl Options {
    /// Of the arguments; anything else than is known ends the program.
    pub fn read() -> Self {
        #[expect(
            clippy::disallowed_methods,
            reason = "the one place that reads its arguments"
        )]
        let mut arguments = std::env::args().skip(1);
        let mut options = Self {
            each: EACH,
            seed: 1,
            only: None,
            engine: None,
        };
        while let Some(argument) = arguments.next() {
            let mut value = || {
                let value = arguments.next();
                value.unwrap_or_else(|| panic!("{argument} needs a value"))
            };
            match argument.as_str() {
                "--quick" => options.each = QUICK,
                "--each" => options.each = value().parse().unwrap(),
                "--seed" => options.seed = value().parse().unwrap(),
                "--only" => options.only = Some(value()),
                "--engine" => options.engine = Some(value()),
                other => panic!("unknown: {other}; known: --quick --each N --seed N --only WORD"),
            }
        }
        options
    }

    /// Whether a kind is asked for.
    pub fn includes(&self, kind: Kind) -> bool {
        let only = self.only.as_ref();
        only.is_none_or(|word| kind.title().contains(word.as_str()))
    }

    /// How often each of these strikes: of several at the same time, each a quarter as often.
    pub const fn each_of(&self, kinds: &[Kind]) -> usize {
        if kinds.len() > 1 {
            self.each.div_ceil(4)
        } else {
            self.each
        }
    }

    /// How long a story may take until everything has struck.
    pub fn patience(&self) -> Duration {
        Duration::from_mins(3) + Duration::from_millis(1_500) * u32::try_from(self.each).unwrap()
    }
}
