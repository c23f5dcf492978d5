//! Errors of the target systems.

use std::{io, path::PathBuf};

/// The target systems could not be started or reset.
#[derive(Debug, thiserror::Error)]
pub enum TargetSystemError {
    /// A file of the systems is broken.
    #[error("the files of the target systems: {0}")]
    File(String),
    /// The initial records are broken.
    #[error("the records of the target systems: {0}")]
    Records(#[from] serde_json::Error),
    /// The state file cannot be read or written.
    #[error("the state of the target systems, {path}: {source}")]
    State {
        /// Path of the file.
        path: PathBuf,
        /// Error of the system.
        source: io::Error,
    },
    /// A port or a thread is not available.
    #[error("the target systems on port {port}: {source}")]
    Start {
        /// Requested port.
        port: u16,
        /// Error of the system.
        source: io::Error,
    },
}
