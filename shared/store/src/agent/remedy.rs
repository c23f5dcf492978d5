//! What put records of target systems right, so that an alert about one of them is known to come back.

use model::{
    ActionType, AgentAction, AgentSessionId, Error, OrganizationId, Recurrence, Timestamp,
};
use serde::{Deserialize, Serialize};

use crate::{
    key::{self, Key},
    table::{Record, Write},
};

/// What put a record of a target system right last.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Remedy {
    organization_id: OrganizationId,
    target_system: String,
    entity: String,
    action_type: ActionType,
    session_id: AgentSessionId,
    pub(crate) at: Timestamp,
}

impl Record for Remedy {
    const KIND: &'static str = "remedy";

    fn key(&self) -> Key<Self> {
        key::remedy(self.organization_id, &self.target_system, &self.entity)
    }
}

/// Notes what an action put right, if it did.
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
    /// What an action was to each of its records, if it was effective.
    pub(super) fn of(action: &AgentAction) -> Vec<Self> {
        if !action.is_remedy() {
            return Vec::new();
        }
        let at = action.executed_at.unwrap_or(action.updated_at);
        let entities = action.entities.iter();
        let remedies = entities.map(|entity| Self {
            organization_id: action.organization_id,
            target_system: action.target_system.clone(),
            entity: entity.clone(),
            action_type: action.action_type,
            session_id: action.session_id,
            at,
        });
        remedies.collect()
    }
}
