//! `GET /api/managed-services/hours-saved`

use axum::extract::State;
use serde::Serialize;
use shared::{
    App, Problem,
    auth::{Caller, need},
    http::List,
    model::{ActionType, AgentSessionId, Listing, Saving, SavingSort, Timestamp},
    store::Stored,
};
use utoipa::ToSchema;

/// What an action of the resolution agent saved.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = HoursSaved)]
#[serde(rename_all = "camelCase")]
pub struct HoursSavedView {
    /// The action's id.
    id: String,
    agent_session_id: AgentSessionId,
    action_type: ActionType,
    target_system: String,
    /// The record that it acted on.
    entity: String,
    /// Minutes that a person would have needed.
    minutes: i64,
    /// When the action ended.
    at: Timestamp,
}

impl From<Stored<Saving>> for HoursSavedView {
    fn from(Stored { record: saving, .. }: Stored<Saving>) -> Self {
        Self {
            id: saving.action_id,
            agent_session_id: saving.session_id,
            action_type: saving.action_type,
            target_system: saving.target_system,
            entity: saving.entity,
            minutes: saving.minutes,
            at: saving.at,
        }
    }
}

/// Lists what makes up `hoursSaved` of the dashboard: effective actions, of one record one a day, the
/// newest days first.
#[utoipa::path(
    get,
    path = "/api/managed-services/hours-saved",
    operation_id = "listHoursSaved"
)]
pub async fn hours_saved(
    State(app): State<App>,
    caller: Caller<need::ViewManagedServices, Listing<(), SavingSort>>,
) -> Result<List<HoursSavedView>, Problem> {
    let pages = caller.pages(&app)?;
    let agent = app.store.agent();
    let page = agent.savings(caller.tenant(), &pages.wanted).await?;
    Ok(pages.answer(page, HoursSavedView::from)?)
}
