//! Output of the local stack on the terminal.
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "the local stack prints to a terminal"
)]

/// Prints a step or a notice.
pub(crate) fn say(line: &str) {
    println!("{line}");
}

/// Prints a problem after which the stack goes on.
pub(crate) fn warn(line: &str) {
    eprintln!("warning: {line}");
}

/// Prints an error that ends the stack.
pub(crate) fn fail(line: &str) {
    eprintln!("error: {line}");
}
