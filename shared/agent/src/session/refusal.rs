//! Refusals of sessions that several commands share.

use model::base::{Code, Error};

/// Returns the 409 for a proposal that is a day old.
pub(crate) fn expired(advice: &str) -> Error {
    let detail = format!("The proposal expired after 24 hours. {advice}.");
    Error::conflict(Code::SessionExpired, detail)
}

pub fn alert_resolved() -> Error {
    let detail = "The alert is resolved. Open it again if its matter is not settled.";
    Error::conflict(Code::AlertResolved, detail)
}

/// Returns the 409 for actions of an earlier proposal.
pub(crate) fn superseded() -> Error {
    let detail =
        "The actions were proposed again since then. Read the session and approve the new ones.";
    Error::conflict(Code::ProposalSuperseded, detail)
}

/// Returns the 409 for a session whose alert has a newer session. Its actions cannot run again.
pub fn followed_by_another() -> Error {
    let detail = "Another session was opened on the alert since then. Read the alert.";
    Error::conflict(Code::SessionSuperseded, detail)
}
