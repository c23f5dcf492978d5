//! Input and output on the terminal.
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "an operator runs this at a terminal"
)]

use std::{
    fs::File,
    io::{self, BufReader, IsTerminal, Seek},
};

use shared::model::people::NewPassword;

use crate::error::Error;

/// Prints a result.
pub(crate) fn say(line: &str) {
    println!("{line}");
}

/// Prints progress in place, if a person watches.
pub(crate) fn progress(line: &str) {
    if io::stderr().is_terminal() {
        eprint!("\r{line}");
    }
}

/// Prints an error.
pub(crate) fn fail(line: &str) {
    eprintln!("error: {line}");
}

/// Reads all of standard input.
pub(crate) fn input() -> Result<String, Error> {
    let text = io::read_to_string(io::stdin());
    text.map_err(|error| Error::Invalid(format!("reading standard input: {error}")))
}

/// Copies standard input into a file without a name, to be read twice. Only this program can open
/// it, and it goes when the program ends.
pub(crate) fn input_file() -> Result<BufReader<File>, Error> {
    let copied = tempfile::tempfile().and_then(|mut file| {
        io::copy(&mut io::stdin().lock(), &mut file)?;
        file.rewind()?;
        Ok(file)
    });
    let file = copied.map_err(|error| {
        let folder = std::env::temp_dir();
        let folder = folder.display();
        Error::Invalid(format!(
            "copying standard input to a file in {folder}: {error}"
        ))
    })?;
    Ok(BufReader::new(file))
}

/// Reads a new password: twice on a terminal, without showing it, and otherwise from the first line
/// of standard input. It is not an argument, since all users of the machine can see arguments.
pub(crate) fn new_password(username: &str) -> Result<NewPassword, Error> {
    let text = if io::stdin().is_terminal() {
        let text = rpassword::prompt_password(format!("New password of {username}: "))?;
        if rpassword::prompt_password("Once more: ")? != text {
            return Err(Error::Mistyped);
        }
        text
    } else {
        let mut line = String::new();
        io::stdin().read_line(&mut line)?;
        line.trim_end_matches(['\r', '\n'])
            .to_owned()
    };
    let password = NewPassword::try_from(text);
    password.map_err(|error| Error::Text("the password", error))
}
