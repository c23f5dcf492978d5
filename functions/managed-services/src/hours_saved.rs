//! `GET /api/managed-services/hours-saved`

use shared::agent::action::{ActionType, Saving};
use shared::endpoint::*;

/// Minutes of manual work that an action of the agent saved.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = HoursSaved, examples(json!({
    "id": "s3-p1-a1",
    "agentSessionId": 3,
    "actionType": "reprocess_usage_batch",
    "targetSystem": "billing",
    "entity": "ub_1001",
    "minutes": 25,
    "at": "2026-01-14T12:05:00.000Z"
})))]
#[serde(rename_all = "camelCase")]
pub struct HoursSavedView {
    /// Id of the action.
    id: String,
    agent_session_id: AgentSessionId,
    action_type: ActionType,
    target_system: String,
    /// Id of the record on which the action was carried out.
    entity: String,
    /// Minutes of manual work saved.
    minutes: i64,
    /// Instant at which the action ended.
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

/// Lists the actions that make up the dashboard's `hoursSaved`, newest day first.
///
/// They are the automated actions that had their effect; of one record, one action a day counts.
#[utoipa::path(get, path = "/api/managed-services/hours-saved")]
pub async fn list_hours_saved(
    caller: Caller<need::ViewManagedServices, Listing<(), SavingSort>>,
) -> Result<List<HoursSavedView>, Problem> {
    let pages = caller.pages()?;
    let agent = caller.app.store.agent();
    let page = agent.savings(caller.tenant(), &pages.wanted).await?;
    Ok(pages.answer(page, HoursSavedView::from)?)
}
