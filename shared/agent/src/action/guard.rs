//! Exclusive records: two actions that share a record never run at once, and none repeats the
//! effect of another within its cooldown. An action claims its records, each by a guard that names
//! it.

use model::base::{AgentSessionId, OrganizationId, Timestamp};
use serde::{Deserialize, Serialize};

use crate::{
    action::{
        ActionContent, ActionKey, ActionState, ActionStep, ActionType, AgentAction, RecordSystem,
    },
    connection::quoted,
};

/// The guard of a record: the actions that claimed it. Only an action's own record says whether it
/// still holds the record, so both cannot differ: see [`AgentAction::holds`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RecordGuard {
    pub organization_id: OrganizationId,
    /// The record, such as `invoice/inv_1`. Earlier releases wrote none.
    #[serde(default)]
    pub record: String,
    /// The last claim of each action, the newest last. The last fifty are kept.
    #[serde(rename = "tries")]
    pub claims: Vec<RecordClaim>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RecordClaim {
    pub session_id: AgentSessionId,
    pub action_id: String,
    pub at: Timestamp,
    /// The system of the record. Earlier releases wrote none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub system: Option<RecordSystem>,
}

impl RecordGuard {
    const MOST_CLAIMS: usize = 50;

    pub fn claimed(
        before: Option<&Self>,
        record: &str,
        (action, content): (&ActionKey, &ActionContent),
        now: Timestamp,
    ) -> Self {
        let mut claims = before.map_or_else(Vec::new, |guard| guard.claims.clone());
        claims.retain(|claim| !claim.is_of(action));
        claims.push(RecordClaim {
            session_id: action.session_id,
            action_id: action.action_id.clone(),
            at: now,
            system: content.systems.get(record).cloned(),
        });
        let surplus = claims
            .len()
            .saturating_sub(Self::MOST_CLAIMS);
        claims.drain(..surplus);
        Self {
            organization_id: action.organization_id,
            record: record.to_owned(),
            claims,
        }
    }

    /// Returns the claims by other actions that may still count for an action. Others may have been
    /// at work on the record until the last claim. Claims of a record of another system do not
    /// count.
    pub fn others(
        &self,
        record: &str,
        action: &ActionKey,
        content: &ActionContent,
        now: Timestamp,
    ) -> Vec<OtherClaim> {
        let within = content
            .attempts
            .map_or(0, |attempts| attempts.within);
        let within = within.max(AgentAction::COOLDOWN + AgentAction::PATIENCE);
        let system = content.systems.get(record);
        let is_same = |claim: &&RecordClaim| {
            let both = claim.system.as_ref().zip(system);
            !both.is_some_and(|(claimed, other)| claimed.differs_from(other))
        };
        let claims: Vec<&RecordClaim> = self
            .claims
            .iter()
            .filter(is_same)
            .collect();
        let last = claims.len().saturating_sub(1);
        let others = claims
            .into_iter()
            .enumerate()
            .filter_map(|(at, claim)| {
                let is_last = at == last;
                let counts = !claim.is_of(action) && (is_last || now < claim.at.plus(within));
                counts.then(|| OtherClaim {
                    record: record.to_owned(),
                    by: ActionKey::new(action.organization_id, claim.session_id, &*claim.action_id),
                    at: claim.at,
                    is_last,
                    owner: None,
                })
            });
        others.collect()
    }
}

impl RecordClaim {
    fn is_of(&self, action: &ActionKey) -> bool {
        self.session_id == action.session_id && self.action_id == action.action_id
    }
}

#[derive(Clone, Debug)]
pub struct OtherClaim {
    pub record: String,
    pub by: ActionKey,
    pub at: Timestamp,
    /// True if no action claimed the record since.
    pub is_last: bool,
    /// The record of the other action; none if unreadable.
    pub owner: Option<AgentAction>,
}

impl OtherClaim {
    /// Returns the hold by which the other action blocks this one. A successor does not wait for
    /// the checks of the action before it.
    pub fn held(
        &self,
        content: &ActionContent,
        is_successor: bool,
        now: Timestamp,
    ) -> Option<HeldRecord> {
        let hold = match &self.owner {
            None => Hold::EffectUnknown,
            Some(owner) => match owner.holds(now)? {
                Hold::EffectInProgress if owner.state == ActionState::Succeeded && is_successor => {
                    return None;
                }
                Hold::DoneRecently if !owner.content.repeats(content) => return None,
                Hold::DoneRecently => Hold::DoneRecently,
                hold if self.is_last => hold,
                _ => return None,
            },
        };
        Some(HeldRecord {
            record: self.record.clone(),
            action_type: self
                .owner
                .as_ref()
                .map(|owner| owner.content.action_type),
            by: self.by.session_id,
            hold,
        })
    }

    /// Returns the instants at which the other action tried the effect of this one. An unreadable
    /// action, and one of an earlier release, counts by its claim.
    pub fn tries(&self, content: &ActionContent) -> Vec<Timestamp> {
        match &self.owner {
            Some(owner) if !owner.content.repeats(content) => Vec::new(),
            Some(owner) if !owner.content.records.is_empty() => owner
                .progress
                .tries
                .iter()
                .map(|attempt| attempt.at)
                .collect(),
            _ => vec![self.at],
        }
    }
}

/// The reason why a record cannot be claimed, as the API names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Hold {
    EffectInProgress,
    /// Another action may have changed it, and its outcome is unknown.
    EffectUnknown,
    /// Another action had the same effect, in full or in part, within its cooldown.
    DoneRecently,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeldRecord {
    pub record: String,
    /// The type of the action that holds it; none if unreadable.
    pub action_type: Option<ActionType>,
    pub by: AgentSessionId,
    pub hold: Hold,
}

impl HeldRecord {
    /// Returns why the action is skipped, as one text: a stable code, a colon, and the reason.
    pub fn says(&self) -> String {
        let code: &str = self.hold.into();
        let action: &str = self
            .action_type
            .map_or("an action", Into::into);
        let record = quoted(&self.record);
        let by = self.by;
        let why = match self.hold {
            Hold::EffectInProgress => format!("session {by} is executing it"),
            Hold::EffectUnknown => format!(
                "the outcome of session {by} is unknown; check the target system before you execute it \
                 again there"
            ),
            Hold::DoneRecently => format!("session {by} did all or a part of it"),
        };
        format!("{code}: {action} of {record}: {why}. Nothing was sent.")
    }
}

impl AgentAction {
    /// Returns its hold on its claimed records, which blocks others. An action holds them while it
    /// may run or is verified, while its outcome is unknown, and during its cooldown after its
    /// effect took place. An action that is certainly not done holds nothing, unless some of its
    /// steps changed something.
    pub fn holds(&self, now: Timestamp) -> Option<Hold> {
        match self.state {
            ActionState::Queued | ActionState::Running => Some(Hold::EffectInProgress),
            ActionState::Unknown => Some(Hold::EffectUnknown),
            ActionState::Failed | ActionState::Skipped if !self.has_changed() => None,
            ActionState::Succeeded if self.awaits_check() => Some(Hold::EffectInProgress),
            ActionState::Succeeded | ActionState::Failed | ActionState::Skipped => {
                (now < self.ended_at().plus(Self::COOLDOWN)).then_some(Hold::DoneRecently)
            }
        }
    }

    /// True if a finished step changed something.
    pub(crate) fn has_changed(&self) -> bool {
        let mut done = self
            .content
            .steps
            .iter()
            .take(self.progress.next_step());
        done.any(ActionStep::changes)
    }

    /// True if the next step changes something. A missing step counts as a change.
    pub(crate) fn is_about_to_change(&self) -> bool {
        let next = self
            .content
            .steps
            .get(self.progress.next_step());
        next.is_none_or(ActionStep::changes)
    }
}
