//! Effects on records of target systems: an action holds an effect by claiming it, so that each
//! takes place at most once.

use serde::{Deserialize, Serialize};

use super::{ActionKey, ActionState, ActionStep, AgentAction, TargetEffect, facts::quoted};
use model::{AgentSessionId, Timestamp};

/// Names the action that claimed an effect last. Only that action's record says whether it still
/// holds the effect, so both cannot differ: see [`AgentAction::holds`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EffectGuard {
    /// The effect.
    pub effect: TargetEffect,
    /// The action.
    #[serde(flatten)]
    pub by: ActionKey,
    /// The instant of the last claim.
    pub claimed_at: Timestamp,
    /// The rounds of actions that claimed it, the newest last. The last fifty are kept.
    pub tries: Vec<Try>,
}

/// A try of an effect: a round of an action that claimed it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Try {
    /// The session of the action.
    pub session_id: AgentSessionId,
    /// The action.
    pub action_id: String,
    /// The number of its round.
    pub round: i64,
    /// The instant of the first claim in that round.
    pub at: Timestamp,
}

impl EffectGuard {
    /// The most tries that are kept.
    const MOST_TRIES: usize = 50;

    /// Returns the guard after a claim by an action, given the guard before.
    #[must_use]
    pub fn claimed(
        before: Option<&Self>,
        effect: TargetEffect,
        action: &AgentAction,
        now: Timestamp,
    ) -> Self {
        let mut tries = before.map_or_else(Vec::new, |guard| guard.tries.clone());
        if !tries.iter().any(|one| one.is_of(action)) {
            tries.push(Try {
                session_id: action.key.session_id,
                action_id: action.key.action_id.clone(),
                round: action.round.number,
                at: now,
            });
        }
        let surplus = tries.len().saturating_sub(Self::MOST_TRIES);
        tries.drain(..surplus);
        Self {
            effect,
            by: action.key.clone(),
            claimed_at: now,
            tries,
        }
    }

    /// Returns the instants of the tries before an action's present round.
    #[must_use]
    pub fn tries_before(&self, action: &AgentAction) -> Vec<Timestamp> {
        let tries = self.tries.iter().filter(|one| !one.is_of(action));
        tries.map(|one| one.at).collect()
    }

    /// True if the action claimed it last.
    #[must_use]
    pub fn is_of(&self, action: &AgentAction) -> bool {
        self.by == action.key
    }
}

impl Try {
    fn is_of(&self, action: &AgentAction) -> bool {
        self.session_id == action.key.session_id
            && self.action_id == action.key.action_id
            && self.round == action.round.number
    }
}

/// The reason why an effect cannot be claimed, as the API names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Hold {
    /// Another action is working on it.
    EffectInProgress,
    /// Another action may have had it, and its outcome is unknown.
    EffectUnknown,
    /// Another action had it, in full or in part, within its cooldown.
    DoneRecently,
}

/// An effect that another action holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeldEffect {
    /// The effect.
    pub effect: TargetEffect,
    /// The session of the action that holds it.
    pub by: AgentSessionId,
    /// The kind of hold.
    pub hold: Hold,
}

impl HeldEffect {
    /// Returns the effect if another action holds it. `owner` is the action that claimed it last;
    /// without a readable record, the hold is unknown.
    #[must_use]
    pub fn of(guard: &EffectGuard, owner: Option<&AgentAction>, now: Timestamp) -> Option<Self> {
        let hold = match owner {
            Some(owner) => owner.holds(now)?,
            None => Hold::EffectUnknown,
        };
        Some(Self {
            effect: guard.effect.clone(),
            by: guard.by.session_id,
            hold,
        })
    }

    /// Returns why the action is skipped: a stable name, and a text for people.
    #[must_use]
    pub fn says(&self) -> String {
        let code: &str = self.hold.into();
        let effect = match &self.effect {
            TargetEffect::OnRecord {
                target_system,
                action_type,
                entity,
            } => {
                let action: &str = action_type.into();
                format!("{action} of {} in {target_system}", quoted(entity))
            }
            TargetEffect::Lock(name) => format!("an action under the lock {}", quoted(name)),
        };
        let by = self.by;
        let why = match self.hold {
            Hold::EffectInProgress => format!("session {by} is executing it"),
            Hold::EffectUnknown => format!(
                "the outcome of session {by} is unknown; check the target system before you execute it \
                 again there"
            ),
            Hold::DoneRecently => format!("session {by} did all or a part of it"),
        };
        format!("{code}: {effect}: {why}. Nothing was sent.")
    }
}

/// Exclusive effects.
impl AgentAction {
    /// Returns the hold by which it blocks others from the effects that it claimed last. An action
    /// holds them while it may run, while its outcome is unknown, and during its cooldown after
    /// they took place. An action that is certainly not done holds nothing, unless some of its
    /// steps changed something.
    #[must_use]
    pub fn holds(&self, now: Timestamp) -> Option<Hold> {
        match self.state {
            ActionState::Queued | ActionState::Running => Some(Hold::EffectInProgress),
            ActionState::Unknown => Some(Hold::EffectUnknown),
            ActionState::Failed | ActionState::Skipped if !self.has_changed() => None,
            ActionState::Succeeded | ActionState::Failed | ActionState::Skipped => {
                (now < self.ended_at().plus(Self::COOLDOWN)).then_some(Hold::DoneRecently)
            }
        }
    }

    /// True if a finished step changed something.
    pub(super) fn has_changed(&self) -> bool {
        let mut done = self.content.steps.iter().take(self.next_step());
        done.any(ActionStep::changes)
    }

    /// True if the next step changes something. A missing step counts as a change.
    pub(super) fn is_about_to_change(&self) -> bool {
        let next = self.content.steps.get(self.next_step());
        next.is_none_or(ActionStep::changes)
    }
}
