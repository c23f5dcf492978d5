//! Options of the command line.

use std::{collections::BTreeMap, str::FromStr};

use super::release::use_dev_binaries;

/// Runs the functions of the dev profile, which the tests have built, instead of the release's.
const DEV: &str = "--dev";

/// The options that a program was given.
#[derive(Debug)]
pub struct Options {
    usage: &'static str,
    given: BTreeMap<String, String>,
}

impl Options {
    /// Reads the arguments of this process. `usage` names the options that there are: `[--quick]`,
    /// `[--seed N]` with a value, and `[kills]` without a name. Any other ends the process.
    #[must_use]
    pub fn read(usage: &'static str) -> Self {
        #[expect(
            clippy::disallowed_methods,
            reason = "the one place that reads the arguments of a program"
        )]
        let mut arguments = std::env::args().skip(1);
        let mut options = Self {
            usage,
            given: BTreeMap::new(),
        };
        while let Some(argument) = arguments.next() {
            let is_named = argument.starts_with("--");
            let mut described_options = usage
                .split(['[', ']'])
                .map(str::trim)
                .skip(1);
            let option = described_options.find_map(|described| {
                let (name, value) = described
                    .split_once(' ')
                    .unwrap_or((described, ""));
                let is_it = if is_named {
                    name == argument
                } else {
                    !name.is_empty() && !name.starts_with("--")
                };
                is_it.then_some((name, !value.is_empty()))
            });
            let Some((name, has_value)) = option else {
                options.fail();
            };
            let value = match (is_named, has_value) {
                (true, true) => arguments
                    .next()
                    .unwrap_or_else(|| options.fail()),
                (true, false) => String::new(),
                (false, _) => argument,
            };
            options
                .given
                .insert(name.to_owned(), value);
        }
        if options.has(DEV) {
            use_dev_binaries();
        }
        options
    }

    /// Returns whether an option was given.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.given.contains_key(name)
    }

    /// The value of an option, if it was given. A value that does not parse ends the process.
    #[must_use]
    pub fn get<T: FromStr>(&self, name: &str) -> Option<T> {
        let value = self.given.get(name)?;
        Some(
            value
                .parse()
                .unwrap_or_else(|_| self.fail()),
        )
    }

    fn fail(&self) -> ! {
        eprintln!("usage: {}", self.usage);
        std::process::exit(2)
    }
}
