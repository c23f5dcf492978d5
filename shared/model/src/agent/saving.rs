//! What actions saved.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{ActionType, AgentAction};
use crate::{AgentSessionId, OrganizationId, Timestamp};

/// The minutes that an action saved. Of one record there is one a day (UTC): to do something else to it on
/// the same day is hardly work of its own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Saving {
    /// The owning organization.
    pub organization_id: OrganizationId,
    /// The system that the action acted on.
    pub target_system: String,
    /// The record of that system; of an action that names several, the first.
    pub entity: String,
    /// The action.
    pub action_id: String,
    /// What kind of action.
    pub action_type: ActionType,
    /// Its session.
    pub session_id: AgentSessionId,
    /// Minutes that a person would have needed.
    pub minutes: i64,
    /// When the action ended.
    pub at: Timestamp,
}

/// Orders of what was saved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub enum SavingSort {
    /// The newest days first; those of a day by system and record.
    #[default]
    #[serde(rename = "-day")]
    NewestFirst,
}

impl Saving {
    /// What an action saved; none for one that saved nothing.
    #[must_use]
    pub fn of(action: &AgentAction) -> Option<Self> {
        let minutes = action.saved();
        (minutes > 0).then(|| Self {
            organization_id: action.organization_id,
            target_system: action.target_system.clone(),
            // One that was approved long ago names none.
            entity: action.entities.first().unwrap_or(&action.action_id).clone(),
            action_id: action.action_id.clone(),
            action_type: action.action_type,
            session_id: action.session_id,
            minutes,
            at: action.executed_at.unwrap_or(action.updated_at),
        })
    }
}
