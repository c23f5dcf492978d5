//! The last outcome of a record of a target system, and the minutes that actions saved.

use model::base::{AgentSessionId, OrganizationId, Timestamp, span};
use serde::{Deserialize, Serialize};

use crate::{
    action::{ActionType, AgentAction, PlaybookVersion},
    alert::Recurrence,
};

/// The last action on a record of a target system whose outcome is known.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LastOutcome {
    pub organization_id: OrganizationId,
    pub target_system: String,
    pub entity: String,
    pub action_type: ActionType,
    /// The [`PlaybookVersion::label`](crate::action::PlaybookVersion::label) that proposed it.
    pub playbook: Option<String>,
    pub session_id: AgentSessionId,
    pub helped: bool,
    /// The end of the action.
    pub at: Timestamp,
}

impl LastOutcome {
    /// Milliseconds without a second proposal of a playbook version for a record, after it did not
    /// help.
    pub const BARS: i64 = 24 * span::HOUR;

    /// Returns an action's outcome for the record that it acted on. None while it is not known
    /// whether the action helped it.
    pub fn of(action: &AgentAction) -> Option<Self> {
        let helped = action.fixes_records();
        if !helped && action.helped() != Some(false) {
            return None;
        }
        let content = &action.content;
        let (_, entity) = content
            .entity()
            .filter(|(_, id)| !id.is_empty())?;
        Some(Self {
            organization_id: action.key.organization_id,
            target_system: content.target_system.clone(),
            entity: entity.to_owned(),
            action_type: content.action_type,
            playbook: content
                .playbook
                .as_ref()
                .map(PlaybookVersion::label),
            session_id: action.key.session_id,
            helped,
            at: action.ended_at(),
        })
    }

    /// Returns the label of the playbook version that is not proposed for this record at `now`.
    pub fn bars(&self, now: Timestamp) -> Option<&str> {
        let is_recent = now < self.at.plus(Self::BARS);
        let playbook = self.playbook.as_deref();
        playbook.filter(|_| is_recent && !self.helped)
    }
}

impl From<LastOutcome> for Recurrence {
    fn from(outcome: LastOutcome) -> Self {
        Self {
            entity: outcome.entity,
            agent_session_id: outcome.session_id,
            at: outcome.at,
        }
    }
}

/// The minutes that an action saved. Each record counts once a day (UTC), since a second action on
/// it that day is hardly separate work.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Saving {
    pub organization_id: OrganizationId,
    pub target_system: String,
    /// The action's record in that system.
    pub entity: String,
    pub action_id: String,
    pub action_type: ActionType,
    pub session_id: AgentSessionId,
    /// Minutes a person would have needed.
    pub minutes: i64,
    /// The end of the action.
    pub at: Timestamp,
}

impl Saving {
    /// Returns the saving of an action; none if it saved nothing.
    pub fn of(action: &AgentAction) -> Option<Self> {
        let minutes = action.saved();
        let entity = action.content.entity();
        (minutes > 0).then(|| Self {
            organization_id: action.key.organization_id,
            target_system: action.content.target_system.clone(),
            // An action that was approved by an old release names no record.
            entity: entity
                .map_or(&*action.key.action_id, |(_, id)| id)
                .to_owned(),
            action_id: action.key.action_id.clone(),
            action_type: action.content.action_type,
            session_id: action.key.session_id,
            minutes,
            at: action.ended_at(),
        })
    }
}
