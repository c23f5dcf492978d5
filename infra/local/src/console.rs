//! The one place where the local stack prints.
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "the local stack talks to a person at a terminal"
)]

/// A step that begins, or something worth knowing.
pub(crate) fn say(line: &str) {
    println!("{line}");
}

/// Something that went wrong, though the stack goes on.
pub(crate) fn warn(line: &str) {
    eprintln!("warning: {line}");
}

/// What ends the stack.
pub(crate) fn fail(line: &str) {
    eprintln!("error: {line}");
}
