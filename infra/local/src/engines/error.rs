//! Errors of the engines.

use std::{io, path::PathBuf};

use shared::config::ConfigError;

use crate::template;

/// The engines could not be started, or a resource could not be created.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// The template is unusable.
    #[error(transparent)]
    Template(#[from] template::TemplateError),
    /// A port, a thread or a file is not available.
    #[error("{what}: {source}")]
    Io {
        /// Attempted operation.
        what: String,
        /// Error of the system.
        source: io::Error,
    },
    /// The database cannot be opened.
    #[error("the database {at}: {source}")]
    Database {
        /// The file, or "in memory".
        at: String,
        /// Error of the engine.
        source: dynoxide::errors::DynoxideError,
    },
    /// The stream of the database cannot be indexed.
    #[error("the database {at}: {source}")]
    Index {
        /// The file, or "in memory".
        at: String,
        /// Error of SQLite.
        source: rusqlite::Error,
    },
    /// SQLite does not accept the path.
    #[error("the database {0}: its path is not UTF-8")]
    DatabasePath(PathBuf),
    /// A client cannot be made.
    #[error(transparent)]
    Client(#[from] ConfigError),
    /// An engine refused a request.
    #[error("{what}: {problem}")]
    Request {
        /// Attempted operation.
        what: String,
        /// Error of the engine.
        problem: String,
    },
}

impl EngineError {
    /// Adds the engine and its URL, which may be outside of this process.
    pub(super) fn at(self, engine: &str, url: &str) -> Self {
        match self {
            Self::Request { what, problem } => Self::Request {
                what: format!("{engine} at {url}, {what}"),
                problem,
            },
            other => other,
        }
    }
}
