//! Errors of subcommands.

use std::{io, process::ExitCode};

use shared::{
    model::{CommonPassword, WrongText},
    store::ImportError,
};

/// An error of a subcommand, printed as it is.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// Too few or too many values; holds the usage of the subcommand.
    #[error("wrong number of arguments\n\n{0}")]
    Arguments(&'static str),
    /// An unknown option, or text that is not UTF-8.
    #[error("{0}; see --help")]
    Option(#[from] lexopt::Error),
    /// The password could not be read.
    #[error("reading the password: {0}")]
    Input(#[from] io::Error),
    /// The two entries of the password differ.
    #[error("the two passwords differ")]
    Mistyped,
    /// The password is little more than a name.
    #[error("the password must {0}")]
    Common(#[from] CommonPassword),
    /// An argument of the wrong form; holds its name.
    #[error("{0} must {1}")]
    Text(&'static str, WrongText),
    /// A missing or unknown subcommand, or an invalid argument or input.
    #[error("{0}")]
    Invalid(String),
    /// Some organizations were left out; holds their number. Each is named before.
    #[error("left out: {0}")]
    Incomplete(usize),
    /// The input cannot be imported.
    #[error("{0}")]
    Import(#[from] ImportError),
    /// An operation on the table failed.
    #[error("{}", .0.chain())]
    Store(#[from] shared::Error),
}

impl Error {
    /// 2 for an import whose usernames are taken, 1 for all others.
    pub(crate) fn exit_code(&self) -> ExitCode {
        match self {
            Self::Import(ImportError::Taken(_)) => ExitCode::from(2),
            _ => ExitCode::FAILURE,
        }
    }
}
