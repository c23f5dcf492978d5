//! Why a subcommand did not do what it was asked for.

use std::io;

use crate::USAGE;

/// Told to the operator as it is.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// Too few or too many; holds the names of those that it takes.
    #[error("give it {0}\n\n{USAGE}")]
    Arguments(&'static str),
    /// An option, or text that is none.
    #[error("{0}\n\n{USAGE}")]
    Option(#[from] lexopt::Error),
    /// Standard input could not be read.
    #[error("the password on standard input: {0}")]
    Input(#[from] io::Error),
    /// Something given breaks a rule.
    #[error("{0}")]
    Invalid(&'static str),
    /// The table, or what is in it, does not allow it.
    #[error("{}", .0.chain())]
    Store(#[from] shared::Error),
}
