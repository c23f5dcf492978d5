//! The faults of an import.

use std::io;

use model::base::{Error, OrganizationId, Timestamp};
use table::AnyKey;

#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// A line that is not of the organization's export.
    #[error("line {0}: {1}")]
    Line(usize, String),
    /// The export has another format or version.
    #[error("the format {0} version {1} is not known here")]
    Format(String, i64),
    #[error("the lines are not those that line 1 counts")]
    Counts,
    #[error("organization {0} exists")]
    Exists(OrganizationId),
    /// The import of another file did not end.
    #[error(
        "organization {0} is half imported from the export of organization {1} at {2}. Import that file again, or \
         delete organization {0}"
    )]
    HalfImported(OrganizationId, OrganizationId, Timestamp),
    /// Usernames of other users of the service.
    #[error("taken usernames: {}", .0.join(", "))]
    Taken(Vec<String>),
    /// Another item has its key.
    #[error("{0} exists, and is another item")]
    Occupied(AnyKey),
    #[error("reading the export: {0}")]
    Read(#[from] io::Error),
    #[error("{}", .0.chain())]
    Store(#[from] Error),
}

impl ImportError {
    pub(super) fn line(place: usize, why: impl Into<String>) -> Self {
        Self::Line(place, why.into())
    }
}
