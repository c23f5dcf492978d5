//! `cargo local`: builds the local stack and the functions, then runs the stack.
//!
//! One build of all programs keeps every core busy. This program needs no other crate, so that nothing
//! is built before that.

#![expect(
    clippy::disallowed_methods,
    clippy::print_stderr,
    reason = "arguments, environment and terminal are all that this program uses"
)]

use std::{
    env, fs, io,
    os::unix::process::CommandExt,
    path::Path,
    process::{Command, ExitCode},
};

/// The programs of the local stack: itself, and the one in which functions run.
const STACK: [&str; 2] = ["local", "execution-environment"];

fn main() -> ExitCode {
    match run() {
        Ok(code) => code,
        Err(error) => {
            eprintln!("cargo local: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Builds, and becomes the stack. Returns if the build failed.
fn run() -> io::Result<ExitCode> {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut build = Command::new(cargo);
    build.arg("build").current_dir(&workspace);
    for program in STACK {
        build.args(["--bin", program]);
    }
    // A function's program has the name of its folder.
    for folder in fs::read_dir(workspace.join("functions"))? {
        let folder = folder?;
        if folder.path().join("Cargo.toml").exists() {
            build.arg("--bin").arg(folder.file_name());
        }
    }
    if !build.status()?.success() {
        return Ok(ExitCode::FAILURE);
    }
    let stack = env::current_exe()?.with_file_name(STACK[0]);
    Err(Command::new(stack).args(env::args_os().skip(1)).exec())
}
