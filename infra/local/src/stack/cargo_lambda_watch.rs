//! Build and run of the functions with `cargo lambda watch`. It starts a function at its first
//! invocation and restarts it when its sources change.

use std::{
    path::{Path, PathBuf},
    process::Stdio,
    time::Duration,
};

use tokio::{
    io::{AsyncBufReadExt, AsyncRead, BufReader},
    net::TcpStream,
    process::Command,
};

use crate::{console, process, template::Template};

use super::{
    cargo_lambda,
    child::{self, Group},
    config::Config,
    environment,
    error::Error,
    ports,
};

/// The program of this package in which functions run.
const EXECUTION_ENVIRONMENT: &str = "execution-environment";

/// Time that `cargo lambda watch` has to open its port.
const START: Duration = Duration::from_mins(1);

/// Lines of `cargo lambda watch` and of the runtime that are not printed.
const NOISE: [&str; 6] = [
    "starting Runtime server",
    "AWS_LAMBDA_MAX_CONCURRENCY is set",
    "spawning function instance",
    "starting lambda function instance",
    "terminating lambda",
    "terminating instance monitor",
];

/// Builds the functions with the features that `cargo lambda watch` builds them with: those of the
/// whole workspace. Named by `--bin` and not by `--package`, they share all dependencies. Returns
/// the path of cargo-lambda, which is fetched if it is missing.
pub(crate) async fn prepare(
    config: &Config,
    workspace: &Path,
    template: &Template,
) -> Result<PathBuf, Error> {
    let tools = workspace.join("target/tools");
    let cargo_lambda = cargo_lambda::find_or_fetch(&config.programs, &tools).await?;
    console::say("Building the functions …");
    let mut command = Command::new(&config.cargo);
    command
        .arg("build")
        .current_dir(workspace);
    for program in template
        .functions()
        .chain([EXECUTION_ENVIRONMENT])
    {
        command.args(["--bin", program]);
    }
    let status = child::run(&mut command)
        .await
        .map_err(|source| Error::Program {
            program: "cargo build",
            source,
        })?;
    if status.success() {
        return Ok(cargo_lambda);
    }
    Err(Error::Build)
}

/// Starts `cargo lambda watch` on a free port of this machine. Returns its URL.
pub(crate) fn start(
    cargo_lambda: &Path,
    workspace: &Path,
    variables: &[(&'static str, String)],
) -> Result<(Group, String), Error> {
    let failed = |source| Error::Program {
        program: "cargo lambda watch",
        source,
    };
    let port = ports::free().map_err(failed)?;
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
        // No --timeout: it would also limit a function's wait for its next invocation and so end
        // the function. Gateway and triggers have their own time limits.
        .arg("--config")
        .arg(runner(&environment_of_functions))
        // Its own CORS answers would allow requests that the deployed API refuses.
        .arg("--disable-cors")
        .current_dir(workspace)
        .envs(
            variables
                .iter()
                .map(|(name, value)| (name, value)),
        )
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    for name in environment::REMOVED {
        command.env_remove(name);
    }
    let mut group = Group::start(&mut command).map_err(failed)?;
    if let Some(stdout) = group.child().stdout.take() {
        tokio::spawn(hand_on(stdout));
    }
    if let Some(stderr) = group.child().stderr.take() {
        tokio::spawn(hand_on(stderr));
    }
    Ok((group, format!("http://127.0.0.1:{port}")))
}

/// Waits until the port is open, which is before any function starts.
pub(crate) async fn answer(group: &mut Group, url: &str) -> Result<(), Error> {
    let address = url.trim_start_matches("http://");
    let answering = async {
        while TcpStream::connect(address)
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

/// Resolves when `cargo lambda watch` ends by itself. Returns the error.
pub(crate) async fn ended(group: &mut Group) -> Error {
    match group.wait().await {
        Ok(status) => Error::Ended(status),
        Err(source) => Error::Program {
            program: "cargo lambda watch",
            source,
        },
    }
}

/// Returns the cargo setting by which it starts `program` with a function's path instead of the
/// function.
fn runner(program: &Path) -> String {
    let program = serde_json::json!([program.to_string_lossy()]);
    // A JSON list of strings is also valid TOML.
    format!("target.'cfg(all())'.runner={program}")
}

async fn hand_on(output: impl AsyncRead + Unpin) {
    let mut lines = BufReader::new(output).split(b'\n');
    while let Ok(Some(line)) = lines.next_segment().await {
        let line = String::from_utf8_lossy(&line);
        if !NOISE
            .iter()
            .any(|noise| line.contains(noise))
        {
            console::say(line.trim_end());
        }
    }
}
