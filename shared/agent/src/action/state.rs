use serde::{Deserialize, Serialize};

use model::{AgentSessionId, OrganizationId, names};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ActionKey {
    pub organization_id: OrganizationId,
    pub session_id: AgentSessionId,
    pub action_id: String,
}

impl ActionKey {
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
        /// Nothing was changed: it was cancelled before it started, or it was blocked, for example by a precondition.
        Skipped,
    }
}

impl ActionState {
    pub const fn has_ended(self) -> bool {
        !matches!(self, Self::Queued | Self::Running)
    }

    /// True if it may run again.
    pub const fn is_not_done(self) -> bool {
        matches!(self, Self::Failed | Self::Skipped)
    }
}
