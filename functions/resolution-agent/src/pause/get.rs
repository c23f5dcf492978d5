//! `GET /api/concierge/pause`

use axum::Json;
use shared::endpoint::*;

use crate::pause::view::PauseView;

/// Returns whether all actions of the organization are paused.
#[utoipa::path(get, path = "/api/concierge/pause")]
pub async fn get_agent_pause(
    caller: Caller<need::ViewAgentRemediation>,
) -> Result<Json<PauseView>, Problem> {
    let connections = caller.app.store.connections();
    let pause = connections
        .agent_pause(caller.tenant())
        .await?;
    Ok(Json(pause.map(|pause| pause.record).into()))
}
