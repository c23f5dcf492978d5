//! The one place that talks to the operator.
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "an operator runs this at a terminal"
)]

use std::io;

/// What was done.
pub(crate) fn say(line: &str) {
    println!("{line}");
}

/// What kept it from being done.
pub(crate) fn fail(line: &str) {
    eprintln!("error: {line}");
}

/// The first line of standard input: arguments can be seen by everybody on the machine.
pub(crate) fn password() -> io::Result<String> {
    let mut line = String::new();
    io::stdin().read_line(&mut line)?;
    Ok(line.trim_end_matches(['\r', '\n']).to_owned())
}
