//! Checks of the effect of an action or a call.

use super::{condition::Condition, period::Period};
use crate::prelude::*;

/// The condition that shows an action's effect, on facts of one of the playbook's reads.
#[derive(Debug, Deserialize)]
pub(super) struct Verify {
    read: String,
    within: Period,
    /// The fact with the amount that was moved.
    pub(super) amount: Option<String>,
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
    /// Shows that the call is under way.
    pending: Option<Condition>,
    /// Shows that a call has failed after it was under way.
    refused: Option<Condition>,
    /// Time that the call may be under way.
    within: Option<Period>,
}

impl Verify {
    /// Returns its conditions, with an amount of 0.
    pub(super) fn facts(&self) -> Vec<FactCondition> {
        let nothing = self.amount_is(0);
        let effective = self.effective.of_read(&self.read);
        std::iter::once(effective).chain(nothing).collect()
    }

    pub(super) fn verification(&self, amount: Option<&Money>) -> Verification {
        Verification {
            effective: self.effective.of_read(&self.read),
            amount: amount.and_then(|amount| self.amount_is(amount.minor_units)),
            within: self.within.0,
        }
    }

    fn amount_is(&self, minor_units: i64) -> Option<FactCondition> {
        Some(FactCondition {
            fact: format!("{}.{}", self.read, self.amount.as_ref()?),
            expected: Expectation::Is(vec![minor_units.into()]),
        })
    }
}

impl Reconcile {
    pub(super) fn conditions(&self) -> Reconciliation {
        let of_read = |one: &Option<Condition>| one.as_ref().map(|one| one.of_read(&self.read));
        Reconciliation {
            not_done: of_read(&self.not_done),
            pending: of_read(&self.pending),
            refused: of_read(&self.refused),
            within: self.within.map(|within| within.0),
            ..Reconciliation::by(self.done.of_read(&self.read))
        }
    }
}
