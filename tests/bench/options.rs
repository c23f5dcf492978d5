//! What is asked for on the command line.

/// What to measure, and how often.
#[derive(Debug)]
pub struct Options {
    /// Rounds of each read.
    pub rounds: usize,
    /// Cold starts of each function.
    pub spawns: usize,
    /// Whether there are rounds enough to hold a CPU time against its bound.
    pub judges_cpu: bool,
    only: Option<String>,
}

impl Options {
    /// Reads the arguments of this process.
    pub fn from_arguments() -> Self {
        let mut options = Self {
            rounds: 40,
            spawns: 20,
            judges_cpu: true,
            only: None,
        };
        #[expect(
            clippy::disallowed_methods,
            reason = "the one place that reads its arguments"
        )]
        let mut arguments = std::env::args().skip(1);
        while let Some(argument) = arguments.next() {
            match argument.as_str() {
                "--quick" => {
                    (options.rounds, options.spawns) = (10, 7);
                    options.judges_cpu = false;
                }
                "--rounds" => {
                    let rounds = arguments.next().and_then(|rounds| rounds.parse().ok());
                    options.rounds = rounds.filter(|rounds| *rounds > 0).unwrap_or_else(usage);
                }
                "--only" => options.only = Some(arguments.next().unwrap_or_else(usage)),
                _ => usage(),
            }
        }
        options
    }

    /// Whether a function is to be measured.
    pub fn wants(&self, function: &str) -> bool {
        self.only.as_deref().is_none_or(|only| only == function)
    }
}

fn usage<T>() -> T {
    eprintln!("usage: benchmark [--quick] [--rounds N] [--only FUNCTION]");
    std::process::exit(2)
}
