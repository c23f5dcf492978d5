//! Why a subcommand did not do what it was asked for.

use std::io;

use shared::model::{IsUsername, WrongLength};

use crate::USAGE;

/// Told to the operator as it is.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// None, or one that there is not.
    #[error("{0}\n\n{USAGE}")]
    Subcommand(String),
    /// Too few or too many values; holds how the subcommand is called.
    #[error("it takes other arguments\n\n{0}")]
    Arguments(&'static str),
    /// An option, or text that is none.
    #[error("{0}; see --help")]
    Option(#[from] lexopt::Error),
    /// The password could not be read.
    #[error("reading the password: {0}")]
    Input(#[from] io::Error),
    /// The password was not typed the same twice.
    #[error("the two passwords differ")]
    Mistyped,
    /// Nobody could guess it, but for one.
    #[error("{0}")]
    Guessable(#[from] IsUsername),
    /// A text that is too short or too long; holds what it is.
    #[error("{0}: {1}")]
    Length(&'static str, WrongLength),
    /// Something given means nothing.
    #[error("{0}")]
    Invalid(String),
    /// The table, or what is in it, does not allow it.
    #[error("{}", .0.chain())]
    Store(#[from] shared::Error),
}
