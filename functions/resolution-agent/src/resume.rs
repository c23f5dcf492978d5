//! `POST /api/concierge/resume`

use axum::{Json, extract::State};
use shared::{
    App, Problem,
    auth::{Caller, need},
    http::refusal::ConcurrentChange,
};

use crate::connection_view::PauseView;

/// Goes on after a pause of all actions: what waited is sent within a minute.
#[utoipa::path(
    post,
    path = "/api/concierge/resume",
    operation_id = "resumeAgentActions"
)]
pub async fn resume(
    State(app): State<App>,
    caller: Caller<need::ExecuteAgentRemediation>,
) -> Result<Json<PauseView>, Problem<ConcurrentChange>> {
    let connections = app.store.connections();
    let pause = connections.pause_agent(caller.permit(), caller.user_id(), false);
    Ok(Json(Some(pause.await?).into()))
}
