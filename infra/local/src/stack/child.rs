//! Programs that the stack runs, each in a process group of its own.
//!
//! A terminal sends Ctrl-C to the foreground group. A child in its own group ends only when the
//! stack ends it.

use std::{ffi::OsStr, io, process::ExitStatus, time::Duration};

use rustix::process::{Pid, Signal, kill_process_group};
use tokio::process::{Child, Command};

/// Time that a group has to end by itself.
const GRACE: Duration = Duration::from_secs(5);

/// A running program and all processes in its group. Dropping it ends the group.
#[derive(Debug)]
pub(crate) struct Group {
    child: Child,
    leader: Option<Pid>,
}

impl Group {
    pub(crate) fn start(command: &mut Command) -> io::Result<Self> {
        let child = command.process_group(0).spawn()?;
        let leader = child
            .id()
            .and_then(|id| i32::try_from(id).ok())
            .and_then(Pid::from_raw);
        Ok(Self { child, leader })
    }

    pub(crate) fn child(&mut self) -> &mut Child {
        &mut self.child
    }

    /// Waits for the program's end, then ends the rest of its group.
    pub(crate) async fn wait(&mut self) -> io::Result<ExitStatus> {
        let status = self.child.wait().await?;
        // Ends processes that the program left behind.
        self.signal(Signal::TERM);
        self.leader = None;
        Ok(status)
    }

    /// Sends the group SIGTERM and waits; sends SIGKILL after [`GRACE`].
    pub(crate) async fn stop(mut self) {
        self.signal(Signal::TERM);
        if tokio::time::timeout(GRACE, self.child.wait())
            .await
            .is_err()
        {
            self.signal(Signal::KILL);
            let _ = self.child.wait().await;
        }
        // Ends members that outlived their leader.
        self.signal(Signal::KILL);
        self.leader = None;
    }

    fn signal(&self, signal: Signal) {
        if let Some(leader) = self.leader {
            // An error means that the group has no processes left.
            let _ = kill_process_group(leader, signal);
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.signal(Signal::TERM);
    }
}

/// Runs a program to its end with its output on the terminal. Returns its exit status.
pub(crate) async fn run(command: &mut Command) -> io::Result<ExitStatus> {
    Group::start(command.stdin(std::process::Stdio::null()))?
        .wait()
        .await
}

/// A program that ran without output on the terminal failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SilentError {
    /// The program does not exist or cannot be run.
    #[error(transparent)]
    Start(#[from] io::Error),
    /// The program failed; holds its standard error.
    #[error("{0}")]
    Failed(String),
}

/// Runs a program without output on the terminal.
pub(crate) async fn run_silently(
    program: impl AsRef<OsStr>,
    arguments: &[&OsStr],
) -> Result<(), SilentError> {
    let output = Command::new(program)
        .args(arguments)
        .stdin(std::process::Stdio::null())
        .kill_on_drop(true)
        .output()
        .await?;
    if output.status.success() {
        return Ok(());
    }
    let text = String::from_utf8_lossy(&output.stderr);
    Err(SilentError::Failed(text.trim().to_owned()))
}
