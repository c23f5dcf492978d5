//! A pause as the API answers it.

use serde::Serialize;
use shared::model::{AgentPause, Timestamp, UserId};
use utoipa::ToSchema;

/// Whether the organization's actions are paused, whatever their connections.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = AgentPause)]
#[serde(rename_all = "camelCase")]
pub struct PauseView {
    /// No action is begun while it is so.
    paused: bool,
    /// Who said so last; null when nobody ever did.
    changed_by: Option<UserId>,
    /// When that was.
    changed_at: Option<Timestamp>,
}

impl From<Option<AgentPause>> for PauseView {
    fn from(pause: Option<AgentPause>) -> Self {
        Self {
            paused: pause.is_some_and(|pause| pause.paused),
            changed_by: pause.map(|pause| pause.by),
            changed_at: pause.map(|pause| pause.updated_at),
        }
    }
}
