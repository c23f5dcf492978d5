//! `POST /api/concierge/agent-sessions/{id}/cancel`

use axum::{Json, extract::State};
use serde::Serialize;
use shared::{
    App, Problem,
    auth::{Caller, need},
    http::{Path, PathId, ProblemDetails},
    model::{AgentSessionId, AgentSessionStatus},
    telemetry::{self, Metric},
};
use utoipa::ToSchema;

/// What became of it.
#[derive(Debug, Serialize, ToSchema)]
pub struct CancelledView {
    message: &'static str,
}

/// Cancels a session: what runs ends and is recorded, and nothing new starts.
#[utoipa::path(
    post, path = "/api/concierge/agent-sessions/{id}/cancel", operation_id = "cancelAgentSession", tag = "concierge",
    params(("id" = AgentSessionId, Path)),
    responses(
        (status = 200, description = "Cancelled, or about to be", body = CancelledView),
        (status = 409, description = "It has ended", body = ProblemDetails, content_type = "application/problem+json"),
    )
)]
pub async fn cancel(
    State(app): State<App>,
    caller: Caller<need::CreateAgentRemediation>,
    Path(id): Path<PathId<AgentSessionId>>,
) -> Result<Json<CancelledView>, Problem> {
    let agent = app.store.agent();
    let (session, outcomes) = agent.cancel(caller.tenant(), id.known()?).await?;
    for outcome in outcomes {
        telemetry::count(Metric::Action(outcome.name()), app.clock.now());
    }
    let message = if session.status == AgentSessionStatus::Cancelling {
        "The session is being cancelled: what already runs ends and is recorded, and nothing new \
         starts."
    } else {
        "The session is cancelled."
    };
    Ok(Json(CancelledView { message }))
}
