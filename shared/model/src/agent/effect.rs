//! Effects on records of target systems, each of which takes place once at most, whoever asks
//! for it: what an action holds by claiming it, and what that means to others.

use serde::{Deserialize, Serialize};

use super::{ActionState, ActionStep, ActionType, AgentAction};
use crate::{AgentSessionId, OrganizationId, Timestamp};

/// An effect on a record of a target system.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TargetEffect {
    /// The system.
    pub target_system: String,
    /// What is done.
    pub action_type: ActionType,
    /// The id of the record in that system; at most [`LONGEST_ENTITY`](Self::LONGEST_ENTITY)
    /// bytes.
    pub entity: String,
}

impl TargetEffect {
    /// The most bytes of a record's id, since it is a key of the guard.
    pub const LONGEST_ENTITY: usize = 1_000;
}

/// Says which action was the last to claim an effect. Whether it still holds it is judged by that
/// action's record, so that both can never differ: see [`AgentAction::holds`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EffectGuard {
    /// Whose target system it is.
    pub organization_id: OrganizationId,
    /// The effect.
    pub effect: TargetEffect,
    /// The session of the action.
    pub session_id: AgentSessionId,
    /// The action.
    pub action_id: String,
    /// When it claimed the effect last.
    pub claimed_at: Timestamp,
}

impl EffectGuard {
    /// Whether it is the action's.
    #[must_use]
    pub fn is_of(&self, action: &AgentAction) -> bool {
        self.session_id == action.session_id && self.action_id == action.action_id
    }
}

/// Why an effect cannot be claimed, as the names of the API have it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Hold {
    /// Another action is at work on it.
    EffectInProgress,
    /// Another action may have had it, and nobody knows.
    EffectUnknown,
    /// Another action had it, in full or in part, and its cooldown is not over.
    DoneRecently,
}

/// An effect that another action holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeldEffect {
    /// The effect.
    pub effect: TargetEffect,
    /// The session of the action that holds it.
    pub by: AgentSessionId,
    /// How.
    pub hold: Hold,
}

impl HeldEffect {
    /// That another action holds an effect, if it does: `owner` is the one that claimed it last,
    /// as far as its record reads. Of one that does not read, nothing is known.
    #[must_use]
    pub fn of(guard: &EffectGuard, owner: Option<&AgentAction>, now: Timestamp) -> Option<Self> {
        let hold = match owner {
            Some(owner) => owner.holds(now)?,
            None => Hold::EffectUnknown,
        };
        Some(Self {
            effect: guard.effect.clone(),
            by: guard.session_id,
            hold,
        })
    }

    /// Why the action is skipped: a stable name, and a text for a person.
    #[must_use]
    pub fn says(&self) -> String {
        let TargetEffect {
            target_system,
            action_type,
            entity,
        } = &self.effect;
        let code: &str = self.hold.into();
        let action: &str = action_type.into();
        let by = self.by;
        let why = match self.hold {
            Hold::EffectInProgress => format!("session {by} is at work on it"),
            Hold::EffectUnknown => format!(
                "it is not known whether session {by} did it; check the target system before it is \
                 done again there"
            ),
            Hold::DoneRecently => format!("session {by} did it, or a part of it"),
        };
        format!("{code}: {action} of {entity} in {target_system}: {why}. Nothing was sent.")
    }
}

/// Effects that exclude others.
impl AgentAction {
    /// The effects that it has; whoever claims it claims them.
    pub fn effects(&self) -> impl Iterator<Item = TargetEffect> {
        self.entities.iter().map(|entity| TargetEffect {
            target_system: self.target_system.clone(),
            action_type: self.action_type,
            entity: entity.clone(),
        })
    }

    /// Whether it keeps others from the effects that it was the last to claim: while it may still
    /// run, while nobody knows whether they took place, and for its cooldown after they did. An
    /// action that was not done for certain holds nothing, unless some of its steps were.
    #[must_use]
    pub fn holds(&self, now: Timestamp) -> Option<Hold> {
        match self.state {
            ActionState::Queued | ActionState::Running => Some(Hold::EffectInProgress),
            ActionState::Unknown => Some(Hold::EffectUnknown),
            ActionState::Failed | ActionState::Skipped if !self.has_changed() => None,
            ActionState::Succeeded | ActionState::Failed | ActionState::Skipped => {
                let ended = self.executed_at.unwrap_or(self.updated_at);
                (now < ended.plus(self.cooldown)).then_some(Hold::DoneRecently)
            }
        }
    }

    /// Whether one of the steps that are done changed something.
    pub(super) fn has_changed(&self) -> bool {
        let done = usize::try_from(self.steps_done).unwrap_or(0);
        self.steps.iter().take(done).any(ActionStep::changes)
    }

    /// Whether the next step changes something, which one that is not known is taken to do.
    pub(super) fn is_about_to_change(&self) -> bool {
        let done = usize::try_from(self.steps_done).unwrap_or(0);
        self.steps.get(done).is_none_or(ActionStep::changes)
    }
}
