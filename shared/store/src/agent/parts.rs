//! Parts of sessions and their actions, as answers show them.

use agent::{
    action::ActionApproval,
    connection::ConnectionRevision,
    session::{Analysis, ReadEvidence},
};

use crate::base::Answered;

impl Answered for ActionApproval {
    const HIDDEN: &'static [&'static str] = &["role", "round", "version"];
}

impl Answered for Analysis {
    const HIDDEN: &'static [&'static str] = &[
        "pattern",
        "playbook",
        "notApplicable",
        "passedOver",
        "version",
    ];
}

impl Answered for ConnectionRevision {
    const HIDDEN: &'static [&'static str] = &["version"];
}

impl Answered for ReadEvidence {
    const HIDDEN: &'static [&'static str] = &["facts", "excerptHash", "version"];
}
