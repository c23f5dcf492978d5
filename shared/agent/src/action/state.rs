//! The name of an approved action, and its state.

use serde::{Deserialize, Serialize};

use model::{AgentSessionId, OrganizationId, names};

/// Names an approved action.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ActionKey {
    /// The owning organization.
    pub organization_id: OrganizationId,
    /// The session in which it was approved.
    pub session_id: AgentSessionId,
    /// The proposed action's id.
    pub action_id: String,
}

impl ActionKey {
    /// Creates the name of a session's action.
    pub fn new(
        organization_id: OrganizationId,
        session_id: AgentSessionId,
        action_id: impl Into<String>,
    ) -> Self {
        Self {
            organization_id,
            session_id,
            action_id: action_id.into(),
        }
    }
}

names! {
    /// The state of an approved action. The last four are outcomes.
    pub enum ActionState {
        /// Waits for a worker.
        Queued,
        /// Claimed by a worker.
        Running,
        /// Done.
        Succeeded,
        /// Certainly not done; may run again.
        Failed,
        /// Possibly done: no answer and no check has told.
        Unknown,
        /// Nothing was changed: it was cancelled before it started, or it was blocked, for example by
        /// a precondition.
        Skipped,
    }
}

impl ActionState {
    /// True for an outcome.
    #[must_use]
    pub const fn has_ended(self) -> bool {
        !matches!(self, Self::Queued | Self::Running)
    }

    /// True if it may run again.
    #[must_use]
    pub const fn is_not_done(self) -> bool {
        matches!(self, Self::Failed | Self::Skipped)
    }
}
