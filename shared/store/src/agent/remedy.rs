//! Last fixes of target systems' records. A later alert about such a record is a recurrence.

use agent::{AgentAction, Recurrence};
use model::Error;

use crate::{
    key::{self, Key},
    records::Remedy,
    table::{Record, Write},
};

impl Record<crate::Workdesk> for Remedy {
    const KIND: &'static str = "remedy";

    fn key(&self) -> Key<Self> {
        key::remedy(self.organization_id, &self.target_system, &self.entity)
    }
}

/// Returns the writes of an action's fixes.
pub(super) fn writes(action: &AgentAction) -> Result<Vec<Write>, Error> {
    Remedy::of(action).iter().map(Write::put).collect()
}

impl From<Remedy> for Recurrence {
    fn from(remedy: Remedy) -> Self {
        Self {
            entity: remedy.entity,
            agent_session_id: remedy.session_id,
            at: remedy.at,
        }
    }
}

impl Remedy {
    /// Returns the fixes of an action, one per record; empty unless it was effective.
    pub(super) fn of(action: &AgentAction) -> Vec<Self> {
        if !action.is_remedy() {
            return Vec::new();
        }
        let at = action.end.at.unwrap_or(action.updated_at);
        let entities = action.content.entities.iter();
        let remedies = entities.map(|entity| Self {
            organization_id: action.key.organization_id,
            target_system: action.content.target_system.clone(),
            entity: entity.clone(),
            action_type: action.content.action_type,
            session_id: action.key.session_id,
            at,
        });
        remedies.collect()
    }
}
