//! `POST /api/concierge/pause`

use axum::Json;
use shared::endpoint::*;

use crate::pause::view::PauseView;

/// Pauses all actions of the organization.
///
/// No action starts; approved actions wait. An action that already runs may finish, within a
/// minute.
#[utoipa::path(post, path = "/api/concierge/pause")]
pub async fn pause_agent_actions(
    caller: Caller<need::ToBrake<need::ExecuteAgentRemediation>>,
) -> Result<Json<PauseView>, Problem<ConcurrentChange>> {
    let connections = caller.app.store.connections();
    let pause = connections.pause_agent(caller.write(), caller.user_id(), true);
    Ok(Json(Some(pause.await?).into()))
}
