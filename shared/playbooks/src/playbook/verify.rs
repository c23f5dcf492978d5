//! Checks of the effect of an action or a call.

use agent::{
    alert::Money,
    check::{FactCondition, Reconciliation, Verification},
};
use serde::Deserialize;

use super::{
    condition::{Condition, Many},
    period::Period,
};

/// The conditions that show an action's effect.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Verify {
    /// All of them hold once the effect is there.
    pub(super) is: Many<Condition>,
    /// One of them shows another effect.
    #[serde(default)]
    fails_if: Many<Condition>,
    /// The fact with the amount that was moved.
    pub(super) amount: Option<String>,
    within: Period,
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
    /// A fact that each call changes, such as a number of attempts.
    mark: Option<String>,
}

impl Verify {
    /// Returns its conditions, with an amount of 0.
    pub(super) fn facts(&self) -> Vec<FactCondition> {
        let verification = self.of_amount(Some(0));
        verification
            .all_conditions()
            .cloned()
            .collect()
    }

    pub(super) fn verification(&self, amount: Option<&Money>) -> Verification {
        self.of_amount(amount.map(|amount| amount.minor_units))
    }

    fn of_amount(&self, minor_units: Option<i64>) -> Verification {
        let amount = self.amount.clone().zip(minor_units);
        Verification {
            effective: self.is.conditions(),
            fails_if: self.fails_if.conditions(),
            amount: amount.map(|(fact, minor_units)| FactCondition::is(fact, minor_units)),
            within: self.within.0,
        }
    }
}

impl Reconcile {
    /// Returns the full name of a fact. A fact of its read has no prefix.
    fn full(&self, fact: &str) -> String {
        if fact.contains('.') {
            return fact.to_owned();
        }
        format!("{}.{fact}", self.read)
    }

    pub(super) fn conditions(&self) -> Reconciliation {
        let of_read = |condition: &Option<Condition>| {
            condition
                .as_ref()
                .map(|condition| condition.of_read(&self.read))
        };
        Reconciliation {
            not_done: of_read(&self.not_done),
            pending: of_read(&self.pending),
            refused: of_read(&self.refused),
            within: self.within.map(|within| within.0),
            mark: self
                .mark
                .as_ref()
                .map(|fact| self.full(fact)),
            ..Reconciliation::by(self.done.of_read(&self.read))
        }
    }
}
