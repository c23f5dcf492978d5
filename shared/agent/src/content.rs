//! The content of an action: all that an approval covers.

use serde::{Deserialize, Serialize};

use super::{
    ActionStep, ActionType, ConnectionRevision, FactCondition, MoneyMoved, PlaybookVersion,
    PolicySubject, Reversible, Risk, TargetEffect, TargetRead, Verification,
};
use model::{Timestamp, span};

/// The content of an action: all that an approval covers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ActionContent {
    /// The playbook that proposed it.
    pub playbook: Option<PlaybookVersion>,
    /// The kind of action.
    pub action_type: ActionType,
    /// A description of what it does. For an automated action that cannot run automatically, also
    /// the reason.
    pub description: String,
    /// The expected state after success.
    pub expected_outcome: String,
    /// The way to undo it. None if unknown.
    pub reversible: Option<Reversible>,
    /// The risk level.
    pub risk: Risk,
    /// The money that it moves; none if it moves none.
    pub money: Option<MoneyMoved>,
    /// Minutes a person would have needed.
    pub minutes_saved: i64,
    /// The system it acts on.
    pub target_system: String,
    /// The connection to that system, as of the proposal.
    pub connection: Option<ConnectionRevision>,
    /// The records that it acts on, by the ids that the target system returned. No two actions have
    /// the same effect on one record at once.
    pub entities: Vec<String>,
    /// Further names that no other action holds at once, of whatever kind and target system.
    pub locks: Vec<String>,
    /// The number of times that its effect may be tried; none for no limit.
    pub attempts: Option<Attempts>,
    /// Reads of the target system for the conditions below and those of the steps.
    pub reads: Vec<TargetRead>,
    /// Conditions that must hold when it runs.
    pub require: Vec<FactCondition>,
    /// The rendered steps.
    pub steps: Vec<ActionStep>,
    /// The condition that shows that it had its effect.
    pub verify: Option<Verification>,
}

impl ActionContent {
    /// Returns the properties that a policy uses.
    #[must_use]
    pub fn subject(&self) -> PolicySubject<'_> {
        PolicySubject {
            action_type: self.action_type,
            risk: self.risk,
            money: self.money.as_ref(),
            connection: &self.target_system,
        }
    }

    /// Returns the effects of the action. A claim of the action claims them too.
    pub fn effects(&self) -> impl Iterator<Item = TargetEffect> {
        let on_records = self.entities.iter().map(|entity| TargetEffect::OnRecord {
            target_system: self.target_system.clone(),
            action_type: self.action_type,
            entity: entity.clone(),
        });
        on_records.chain(self.locks.iter().cloned().map(TargetEffect::Lock))
    }
}

/// The number of times that an effect on a record may be tried, over all sessions and rounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attempts {
    /// The most tries.
    pub most: usize,
    /// The milliseconds within which they count.
    pub within: i64,
    /// The least milliseconds between two tries.
    pub apart: i64,
}

impl Attempts {
    /// The default of an action that takes money: one try a day.
    pub const OF_MONEY: Self = Self {
        most: 1,
        within: span::DAY,
        apart: 0,
    };

    /// Returns why another try is not allowed now, after these tries.
    #[must_use]
    pub fn refuse(self, tries: &[Timestamp], now: Timestamp) -> Option<String> {
        let hours = |millis: i64| millis / span::HOUR;
        let recent = tries.iter().filter(|at| now < at.plus(self.within)).count();
        if recent >= self.most {
            let within = hours(self.within);
            return Some(format!(
                "attempts_reached: it was tried {recent} times within {within} hours, as often as \
                 its playbook allows. Nothing was sent."
            ));
        }
        let last = tries.iter().max()?;
        let next = last.plus(self.apart);
        (now < next).then(|| {
            format!("attempts_reached: it may be tried again from {next} on. Nothing was sent.")
        })
    }
}
