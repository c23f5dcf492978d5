//! Checks of the effect of an action or a call.

use agent::{FactCondition, Reconciliation, Verification};
use serde::Deserialize;

use super::{condition::Condition, period::Period};

/// The condition that shows an action's effect, on facts of one of the playbook's reads.
#[derive(Debug, Deserialize)]
pub(super) struct Verify {
    read: String,
    within: Period,
    /// In the file, the condition's members stand beside the others.
    #[serde(flatten)]
    effective: Condition,
}

/// The conditions that show whether a call took effect, on facts of one of the playbook's reads.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Reconcile {
    read: String,
    done: Condition,
    /// None if a missing effect may still come.
    not_done: Option<Condition>,
}

impl Verify {
    pub(super) fn condition(&self) -> FactCondition {
        self.effective.of_read(&self.read)
    }

    pub(super) fn verification(&self) -> Verification {
        Verification {
            effective: self.condition(),
            within: self.within.millis(),
        }
    }
}

impl Reconcile {
    pub(super) fn conditions(&self) -> Reconciliation {
        Reconciliation {
            done: self.done.of_read(&self.read),
            not_done: self.not_done.as_ref().map(|one| one.of_read(&self.read)),
        }
    }
}
