//! Minutes saved by actions.

use serde::{Deserialize, Serialize};

use super::{ActionType, AgentAction};
use model::{AgentSessionId, OrganizationId, Timestamp, span};

/// The minutes that an action saved. Each record counts once a day (UTC), since a second action on
/// it that day is hardly separate work.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Saving {
    /// The owning organization.
    pub organization_id: OrganizationId,
    /// The target system.
    pub target_system: String,
    /// The record of that system. For an action with several records, the first.
    pub entity: String,
    /// The action.
    pub action_id: String,
    /// The kind of action.
    pub action_type: ActionType,
    /// Its session.
    pub session_id: AgentSessionId,
    /// Minutes a person would have needed.
    pub minutes: i64,
    /// The end of the action.
    pub at: Timestamp,
}

impl Saving {
    /// Returns the saving of an action; none if it saved nothing.
    #[must_use]
    pub fn of(action: &AgentAction) -> Option<Self> {
        let minutes = action.saved();
        (minutes > 0).then(|| Self {
            organization_id: action.key.organization_id,
            target_system: action.content.target_system.clone(),
            // An action that was approved by an old release names no record.
            entity: action
                .content
                .entities
                .first()
                .unwrap_or(&action.key.action_id)
                .clone(),
            action_id: action.key.action_id.clone(),
            action_type: action.content.action_type,
            session_id: action.key.session_id,
            minutes,
            at: action.end.at.unwrap_or(action.updated_at),
        })
    }
}

/// Saved minutes that could not be counted together with the outcome.
impl AgentAction {
    /// Marks them to be counted later.
    pub fn count_later(&mut self, now: Timestamp) {
        self.schedule.uncounted = self.saved() > 0;
        if self.schedule.uncounted {
            self.schedule.due_at = Some(now.plus(span::MINUTE));
        }
    }

    /// Marks them as counted.
    pub fn counted(&mut self) {
        self.schedule.uncounted = false;
        self.schedule.due_at = None;
    }
}
