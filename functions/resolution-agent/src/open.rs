//! `POST /api/concierge/alerts/{id}/agent-session`

use axum::{Json, extract::State};
use shared::{
    App, Problem,
    auth::{Caller, need},
    http::{Path, PathId},
    model::SignalId,
};

use crate::view::OpenedView;

/// Opens a session on an alert, or answers the one that stands.
#[utoipa::path(
    post, path = "/api/concierge/alerts/{id}/agent-session", operation_id = "openAgentSession", tag = "concierge",
    params(("id" = SignalId, Path)),
    responses((status = 200, description = "The session", body = OpenedView))
)]
pub async fn open(
    State(app): State<App>,
    caller: Caller<need::WithAgent<need::CreateAgentRemediation>>,
    Path(alert): Path<PathId<SignalId>>,
) -> Result<Json<OpenedView>, Problem> {
    let session = app
        .store
        .agent()
        .open(caller.tenant(), alert.known()?, caller.user_id())
        .await?;
    Ok(Json(OpenedView::of(&session, app.clock.now())))
}
