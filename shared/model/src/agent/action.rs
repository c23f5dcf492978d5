//! An approved action: what it holds, and what became of it.

use serde::{Deserialize, Serialize};

use super::{ActionStep, ActionType, AgentSession, ProposedAction};
use crate::{AgentSessionId, JsonText, OrganizationId, Timestamp, span};

/// An approved action, as the worker runs it.
///
/// `token` is a fencing token: every claim raises it, and every write of the one who claimed
/// expects it, so that a worker that was thought dead cannot write over its successor.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AgentAction {
    /// The owning organization.
    pub organization_id: OrganizationId,
    /// The session that it was approved in.
    pub session_id: AgentSessionId,
    /// The proposed action's id.
    pub action_id: String,
    /// What kind of action.
    pub action_type: ActionType,
    /// The system it acts on.
    pub target_system: String,
    /// What is done, rendered.
    pub steps: Vec<ActionStep>,
    /// The trace of the request that approved it last, by which the worker's log has it, whoever
    /// sent the message.
    #[serde(default)]
    pub trace_id: Option<String>,
    /// Minutes that a person would have needed.
    pub minutes_saved: i64,
    /// Where it stands.
    pub state: ActionState,
    /// Raised by every claim.
    #[serde(default)]
    pub token: i64,
    /// Claims since it was approved.
    #[serde(default)]
    pub attempts: i64,
    /// Until when the one who claimed it may work on it.
    pub lease_until: Option<Timestamp>,
    /// How many steps are done; an action that is run again goes on after them.
    #[serde(default)]
    pub steps_done: i64,
    /// A call may be under way to a system that would do it again if it were repeated.
    #[serde(default)]
    pub sending: bool,
    /// A call was sent whose answer does not tell whether it took effect.
    #[serde(default)]
    pub ambiguous: bool,
    /// Messages that the sweeper sent for it since it was last claimed.
    #[serde(default)]
    pub resends: i64,
    /// When the sweeper has to look at it.
    pub due_at: Option<Timestamp>,
    /// The last answer of the target system, once it ended.
    pub response: Option<JsonText>,
    /// Why it did not succeed.
    pub error: Option<String>,
    /// When it was claimed first since it was approved.
    pub started_at: Option<Timestamp>,
    /// When it ended.
    pub executed_at: Option<Timestamp>,
    /// When it was approved first.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}

/// Where an approved action stands; the last four are outcomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, strum::IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum ActionState {
    /// To be run.
    Queued,
    /// Claimed by a worker.
    Running,
    /// Done.
    Succeeded,
    /// Not done, for certain: it may be run again.
    Failed,
    /// Sent, and no answer tells whether it took effect.
    Unknown,
    /// Cancelled before it started.
    Skipped,
}

impl ActionState {
    /// Whether it is an outcome.
    #[must_use]
    pub const fn has_ended(self) -> bool {
        !matches!(self, Self::Queued | Self::Running)
    }

    /// The name as it is stored.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.into()
    }
}

impl AgentAction {
    /// How long a message may be under way before the sweeper sends another, in milliseconds.
    pub const DELIVERY: i64 = 30 * span::SECOND;
    /// How long after a lease the sweeper looks whether its holder died, in milliseconds.
    pub const LEASE_MARGIN: i64 = 5 * span::SECOND;
    /// Claims until the worker gives up.
    pub const MOST_ATTEMPTS: i64 = 5;
    /// Messages of the sweeper that nobody followed until it gives up. With the growing pauses
    /// between them this takes half a day.
    pub const MOST_RESENDS: i64 = 16;

    /// An approved action that nobody has claimed. `trace` is that of the request.
    #[must_use]
    pub fn approve(
        session: &AgentSession,
        action: &ProposedAction,
        trace: Option<&str>,
        now: Timestamp,
    ) -> Self {
        Self {
            organization_id: session.organization_id,
            session_id: session.id,
            action_id: action.id.clone(),
            action_type: action.action_type,
            target_system: action.target_system.clone(),
            steps: action.steps.clone(),
            trace_id: trace.map(str::to_owned),
            minutes_saved: action.minutes_saved,
            state: ActionState::Queued,
            token: 0,
            attempts: 0,
            lease_until: None,
            steps_done: 0,
            sending: false,
            ambiguous: false,
            resends: 0,
            due_at: Some(now.plus(Self::DELIVERY)),
            response: None,
            error: None,
            started_at: None,
            executed_at: None,
            created_at: now,
            updated_at: now,
        }
    }

    /// Queues a failed action again. Steps that are done stay done, and the fencing token goes on
    /// rising.
    pub fn approve_again(&mut self, trace: Option<&str>, now: Timestamp) {
        self.trace_id = trace.map(str::to_owned);
        self.state = ActionState::Queued;
        self.attempts = 0;
        self.resends = 0;
        self.lease_until = None;
        self.sending = false;
        self.ambiguous = false;
        self.response = None;
        self.error = None;
        self.started_at = None;
        self.executed_at = None;
        self.due_at = Some(now.plus(Self::DELIVERY));
        self.updated_at = now;
    }

    /// The minutes that it saved: none unless it succeeded.
    #[must_use]
    pub const fn saved(&self) -> i64 {
        match self.state {
            ActionState::Succeeded => self.minutes_saved,
            _ => 0,
        }
    }

    /// The idempotency key of a step, which counts from 0: the same for every attempt at it, and
    /// that of no other step.
    #[must_use]
    pub fn idempotency_key(&self, step: usize) -> String {
        format!(
            "wd-{}-{}-{}-{}",
            self.organization_id,
            self.session_id,
            self.action_id,
            step + 1
        )
    }

    /// What became of it; none while it has not ended.
    #[must_use]
    pub fn result(&self) -> Option<ActionResult> {
        if !self.state.has_ended() {
            return None;
        }
        let executed_at = self.executed_at.unwrap_or(self.updated_at);
        let started_at = self.started_at.unwrap_or(executed_at);
        Some(ActionResult {
            action_id: self.action_id.clone(),
            success: self.state == ActionState::Succeeded,
            response: self.response.clone(),
            error: self.error.clone(),
            executed_at,
            duration: executed_at.since(started_at).max(0),
        })
    }
}

/// What became of an approved action.
#[derive(Clone, Debug, PartialEq)]
pub struct ActionResult {
    /// Which one.
    pub action_id: String,
    /// Whether it is done for certain.
    pub success: bool,
    /// The last answer of the target system: `{status, body}`.
    pub response: Option<JsonText>,
    /// Why it did not succeed.
    pub error: Option<String>,
    /// When it ended.
    pub executed_at: Timestamp,
    /// Milliseconds from the first claim to the end.
    pub duration: i64,
}
