use shared::{
    agent::connection::{AgentPause, PauseReason},
    endpoint::*,
};

/// The pause of all actions of the organization, whatever their connections.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = AgentPause)]
#[serde(rename_all = "camelCase")]
pub struct PauseView {
    /// True while no action starts.
    paused: bool,
    /// Reason of a pause that no user began; null for others.
    reason: Option<PauseReason>,
    /// User who paused or resumed last; null before the first pause, and for the operator.
    changed_by: Option<UserId>,
    changed_at: Option<Timestamp>,
}

impl From<Option<AgentPause>> for PauseView {
    fn from(pause: Option<AgentPause>) -> Self {
        Self {
            paused: pause.is_some_and(|pause| pause.paused),
            reason: pause.and_then(|pause| pause.reason()),
            changed_by: pause.and_then(|pause| pause.by),
            changed_at: pause.map(|pause| pause.updated_at),
        }
    }
}
