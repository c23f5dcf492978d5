//! `POST /api/concierge/resume`

use axum::Json;
use shared::endpoint::*;

use crate::pause::view::PauseView;

/// Resumes the actions of the organization after a pause of all.
///
/// Waiting actions start within a minute, if their approvals still hold.
#[utoipa::path(post, path = "/api/concierge/resume")]
pub async fn resume_agent_actions(
    caller: Caller<need::WithAgent<need::ToResume<need::ExecuteAgentRemediation>>>,
) -> Result<Json<PauseView>, Problem<ConcurrentChange>> {
    let connections = caller.app.store.connections();
    let pause = connections.pause_agent(caller.write(), caller.user_id(), false);
    Ok(Json(Some(pause.await?).into()))
}
