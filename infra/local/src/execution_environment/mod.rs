//! The parts of Lambda's execution environment that `cargo lambda watch` lacks.
//!
//! `cargo lambda watch` starts a function once. When its process ends, its request and every later
//! one wait forever. So `cargo local` has cargo start this program instead, with the function's
//! path. The program takes invocations for the function and checks the size of its answers, as
//! Lambda does. When the function's process ends, it answers the open invocation with
//! `Runtime.ExitError` and restarts the function.

mod invocations;
mod runtime_api;
#[cfg(test)]
mod tests;

use std::{
    convert::Infallible,
    ffi::{OsStr, OsString},
    io,
    os::unix::process::CommandExt,
    process::{ExitCode, ExitStatus, Stdio},
    time::Duration,
};

use tokio::{
    process::{Child, Command},
    time::{Instant, sleep_until},
};

use crate::{console, lambda::EXIT_ERROR, process};

use self::{
    invocations::{Invocation, Invocations},
    runtime_api::RuntimeApi,
};

/// Variable that holds the function's path after it was removed from the arguments.
const PROGRAM: &str = "EXECUTION_ENVIRONMENT_PROGRAM";
/// Variable with the address of the runtime API.
const RUNTIME_API: &str = "AWS_LAMBDA_RUNTIME_API";

/// First pause before a restart. Each further pause is twice as long while the function keeps
/// ending.
const FIRST_PAUSE: Duration = Duration::from_millis(500);
/// Longest pause, so that a repaired function is back within five seconds.
const LONGEST_PAUSE: Duration = Duration::from_secs(4);
/// Run time after which the pauses begin with the first again.
const SETTLED: Duration = Duration::from_secs(10);

/// A function cannot be run.
#[derive(Debug, thiserror::Error)]
enum Error {
    #[error("usage: execution-environment PROGRAM")]
    Usage,
    #[error("{RUNTIME_API} is not set: cargo lambda watch starts this program")]
    NoRuntimeApi,
    #[error("{}: {source}", program.display())]
    Program {
        program: OsString,
        source: io::Error,
    },
    #[error("the function's runtime API: {0}")]
    Listen(#[source] io::Error),
    #[error("cargo lambda watch gives no invocations: {0}")]
    Invocations(#[from] reqwest::Error),
}

/// Runs the function until `cargo lambda watch` ends.
pub async fn main() -> ExitCode {
    let Err(error) = run().await;
    console::fail(&error.to_string());
    ExitCode::FAILURE
}

async fn run() -> Result<Infallible, Error> {
    if let Some(program) = process::arguments().next() {
        return Err(become_anonymous(program));
    }
    let program = process::variable(PROGRAM).ok_or(Error::Usage)?;
    let runtime_api = process::text(RUNTIME_API).ok_or(Error::NoRuntimeApi)?;
    let mut invocations = Invocations::of(&runtime_api)?;
    let mut pause = FIRST_PAUSE;
    loop {
        let started = Instant::now();
        let ended = run_once(&program, &mut invocations).await?;
        if started.elapsed() > SETTLED {
            pause = FIRST_PAUSE;
        }
        console::warn(&format!(
            "the function {} ended ({ended}); it restarts in {pause:?}",
            program.display()
        ));
        refuse(&mut invocations, Instant::now() + pause).await?;
        pause = LONGEST_PAUSE.min(2 * pause);
    }
}

/// Replaces this process by itself without the function's path in the arguments. A search for the
/// function's process by its path then finds only that process.
fn become_anonymous(program: OsString) -> Error {
    let own = match process::sibling("execution-environment") {
        Ok(own) => own,
        Err(source) => return Error::Program { program, source },
    };
    let source = std::process::Command::new(own)
        .env(PROGRAM, &program)
        .exec();
    Error::Program { program, source }
}

/// Runs the function's process to its end.
async fn run_once(program: &OsStr, invocations: &mut Invocations) -> Result<ExitStatus, Error> {
    let failed = |source| Error::Program {
        program: program.to_owned(),
        source,
    };
    let mut api = RuntimeApi::start()
        .await
        .map_err(Error::Listen)?;
    let mut function = Command::new(program)
        .env(RUNTIME_API, api.address())
        .env_remove(PROGRAM)
        .stdin(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .map_err(failed)?;
    loop {
        let invocation = tokio::select! {
            ended = function.wait() => return ended.map_err(failed),
            invocation = invocations.next() => invocation?,
        };
        if let Some(ended) = carry_out(&invocation, &mut function, &mut api, invocations)
            .await?
            .transpose()
            .map_err(failed)?
        {
            return Ok(ended);
        }
    }
}

/// Has the function answer an invocation. Returns the exit status if its process ended instead.
async fn carry_out(
    invocation: &Invocation,
    function: &mut Child,
    api: &mut RuntimeApi,
    invocations: &Invocations,
) -> Result<Option<io::Result<ExitStatus>>, Error> {
    tokio::select! {
        biased;
        answer = api.carry_out(invocation) => {
            invocations.answer(&invocation.id, answer).await?;
            Ok(None)
        }
        ended = function.wait() => {
            let how = ended.as_ref().map_or_else(ToString::to_string, ToString::to_string);
            invocations.fail(&invocation.id, EXIT_ERROR, &how).await?;
            Ok(Some(ended))
        }
    }
}

/// Answers every invocation before `until` with an error, since the function does not run.
async fn refuse(invocations: &mut Invocations, until: Instant) -> Result<(), Error> {
    loop {
        tokio::select! {
            () = sleep_until(until) => return Ok(()),
            invocation = invocations.next() => {
                let id = invocation?.id;
                invocations.fail(&id, EXIT_ERROR, "the function restarts").await?;
            }
        }
    }
}
