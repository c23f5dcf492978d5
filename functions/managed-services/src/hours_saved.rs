//! `GET /api/managed-services/hours-saved`

use shared::{
    agent::action::{ActionType, Saving},
    endpoint::*,
    model::base::{AgentSessionId, SavingSort},
};

view! {
    /// Minutes of manual work that an action of the agent saved.
    #[schema(as = HoursSaved)]
    pub struct HoursSavedView of saving(Stored { record: saving, .. }: Stored<Saving>) {
        /// Id of the action.
        id: String = saving.action_id,
        agent_session_id: AgentSessionId = saving.session_id,
        action_type: ActionType,
        target_system: String,
        /// Id of the record on which the action was carried out.
        entity: String,
        /// Minutes of manual work saved.
        minutes: i64,
        /// Instant at which the action ended.
        at: Timestamp,
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
    let page = agent
        .savings(caller.tenant(), &pages.wanted)
        .await?;
    Ok(pages.answer(page, HoursSavedView::of)?)
}
