//! Builds the functions and runs them behind `cargo lambda watch`, which starts each at its first
//! invocation and again when its sources change.

use std::{net::Ipv4Addr, path::Path, process::Stdio, time::Duration};

use tokio::{
    io::{AsyncBufReadExt, AsyncRead, BufReader},
    net::TcpStream,
    process::Command,
};

use super::{
    Error,
    child::{self, Group},
    config::Config,
    environment,
};
use crate::{console, process};

/// The program of this package that functions run in.
const EXECUTION_ENVIRONMENT: &str = "execution-environment";

/// How long `cargo lambda watch` may take to open its port.
const START: Duration = Duration::from_mins(1);

/// What `cargo lambda watch` and the runtime say about themselves, not about the functions.
const NOISE: [&str; 6] = [
    "starting Runtime server",
    "AWS_LAMBDA_MAX_CONCURRENCY is set",
    "spawning function instance",
    "starting lambda function instance",
    "terminating lambda",
    "terminating instance monitor",
];

/// Builds every function, as `cargo lambda watch` will ask for it: all packages of the
/// workspace together, so that no dependency is built twice.
pub(crate) async fn build(config: &Config, workspace: &Path) -> Result<(), Error> {
    let mut command = Command::new(&config.cargo);
    command.args(["build", "--bins"]).current_dir(workspace);
    let status = child::run(&mut command)
        .await
        .map_err(|source| Error::Program {
            program: "cargo build",
            source,
        })?;
    if status.success() {
        return Ok(());
    }
    Err(Error::Build)
}

/// Starts `cargo lambda watch` on a port of this machine.
pub(crate) fn start(
    cargo_lambda: &Path,
    workspace: &Path,
    port: u16,
    variables: &[(&'static str, String)],
) -> Result<Group, Error> {
    let environment_of_functions =
        process::sibling(EXECUTION_ENVIRONMENT).map_err(|source| Error::Program {
            program: EXECUTION_ENVIRONMENT,
            source,
        })?;
    let mut command = Command::new(cargo_lambda);
    command
        .args([
            "lambda",
            "watch",
            "--quiet",
            "--invoke-address",
            "127.0.0.1",
        ])
        .args(["--invoke-port", &port.to_string()])
        // No --timeout: it would also end the functions' wait for the next invocation, and with it
        // the functions. Who invokes knows how long it waits.
        .arg("--config")
        .arg(runner(&environment_of_functions))
        // Its own answer to CORS would let pass here what the deployed API refuses.
        .arg("--disable-cors")
        .current_dir(workspace)
        .envs(variables.iter().map(|(name, value)| (name, value)))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    for name in environment::REMOVED {
        command.env_remove(name);
    }
    let mut group = Group::start(&mut command).map_err(|source| Error::Program {
        program: "cargo lambda watch",
        source,
    })?;
    if let Some(stdout) = group.child().stdout.take() {
        tokio::spawn(hand_on(stdout));
    }
    if let Some(stderr) = group.child().stderr.take() {
        tokio::spawn(hand_on(stderr));
    }
    Ok(group)
}

/// Waits until the port is open, which it is before any function has started.
pub(crate) async fn answer(group: &mut Group, port: u16) -> Result<(), Error> {
    let answering = async {
        while TcpStream::connect((Ipv4Addr::LOCALHOST, port))
            .await
            .is_err()
        {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    tokio::select! {
        waited = tokio::time::timeout(START, answering) => waited.map_err(|_| Error::NoAnswer),
        ended = ended(group) => Err(ended),
    }
}

/// Resolves when the functions are gone without having been stopped.
pub(crate) async fn ended(group: &mut Group) -> Error {
    match group.wait().await {
        Ok(status) => Error::Ended(status),
        Err(source) => Error::Program {
            program: "cargo lambda watch",
            source,
        },
    }
}

/// Has cargo start this program in place of a function, with the function's path.
fn runner(program: &Path) -> String {
    let program = serde_json::json!([program.to_string_lossy()]);
    // JSON's text and list are also TOML's.
    format!("target.'cfg(all())'.runner={program}")
}

async fn hand_on(output: impl AsyncRead + Unpin) {
    let mut lines = BufReader::new(output).split(b'\n');
    while let Ok(Some(line)) = lines.next_segment().await {
        let line = String::from_utf8_lossy(&line);
        if !NOISE.iter().any(|noise| line.contains(noise)) {
            console::say(line.trim_end());
        }
    }
}
