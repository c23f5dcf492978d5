//! `GET /api/milestones/{id}`

use axum::{Json, extract::State};
use shared::{
    App, Problem,
    auth::{Caller, need},
    http::{Path, PathId},
    model::MilestoneId,
};

use crate::view::MilestoneView;

/// Reads a milestone with its tasks.
#[utoipa::path(
    get, path = "/api/milestones/{id}", operation_id = "getMilestone", tag = "milestones",
    params(("id" = MilestoneId, Path)),
    responses((status = 200, description = "The milestone with its tasks", body = MilestoneView))
)]
pub async fn get(
    State(app): State<App>,
    caller: Caller<need::ViewWork>,
    Path(id): Path<PathId<MilestoneId>>,
) -> Result<Json<MilestoneView>, Problem> {
    let milestone = app
        .store
        .milestones()
        .get(caller.tenant(), id.known()?)
        .await?;
    Ok(Json(milestone.into()))
}
