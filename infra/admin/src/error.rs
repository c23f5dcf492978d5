//! Errors of subcommands.

use std::{io, process::ExitCode};

use shared::{
    model::base::{CommonPassword, WrongText},
    store::upkeep::ImportError,
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
    /// Some organizations or messages failed; holds their number. Each is named before.
    #[error("failed: {0}; each is named above")]
    Incomplete(usize),
    /// Some organizations have items of another form, or could not be read; holds their number.
    #[error(
        "organizations with items that are listed above: {0}. Run migrate for those of older forms"
    )]
    OtherForms(usize),
    /// The input cannot be imported.
    #[error("{0}")]
    Import(#[from] ImportError),
    /// An operation on the table failed.
    #[error("{}", in_words(.0))]
    Store(#[from] shared::Error),
}

/// Words of answers and of failures of the SDK, and the remedy.
const FIXES: [(&str, &str); 6] = [
    (
        "ResourceNotFoundException",
        "there is no such table in this account and region: check TABLE, AWS_PROFILE and AWS_REGION",
    ),
    (
        "AccessDenied",
        "the credentials do not allow this: use those of an operator of the table",
    ),
    (
        "UnrecognizedClient",
        "the credentials are not valid: check AWS_PROFILE",
    ),
    (
        "ExpiredToken",
        "the credentials have expired: sign in to the account again",
    ),
    (
        "credential",
        "there are no credentials: set AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY",
    ),
    // Nothing answered.
    (
        "dispatch failure",
        "the database cannot be reached: check AWS_REGION and the network",
    ),
];

/// Returns what an operator can do about a failed operation, with its cause.
fn in_words(error: &shared::Error) -> String {
    let chain = error.chain();
    let is_of_table = matches!(
        error,
        shared::Error::Internal { .. } | shared::Error::Unavailable { .. }
    );
    let mut fixes = FIXES.iter().filter(|_| is_of_table);
    match fixes.find(|(word, _)| chain.contains(word)) {
        Some((_, remedy)) => format!("{remedy} ({chain})"),
        None => chain,
    }
}

impl Error {
    /// Returns an error if some organizations or messages failed.
    pub(crate) fn of_failed(failed: usize) -> Result<(), Self> {
        match failed {
            0 => Ok(()),
            failed => Err(Self::Incomplete(failed)),
        }
    }

    /// 2 for an import whose usernames are taken, 1 for all others.
    pub(crate) fn exit_code(&self) -> ExitCode {
        match self {
            Self::Import(ImportError::Taken(_)) => ExitCode::from(2),
            _ => ExitCode::FAILURE,
        }
    }
}
