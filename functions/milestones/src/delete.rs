//! `DELETE /api/milestones/{id}`

use axum::{extract::State, http::StatusCode};
use shared::{
    App, Problem,
    auth::{Caller, need},
    http::{Path, PathId},
    model::MilestoneId,
};

/// Deletes a milestone and unlinks its tasks, which stay.
#[utoipa::path(
    delete, path = "/api/milestones/{id}", operation_id = "deleteMilestone", tag = "milestones",
    params(("id" = MilestoneId, Path)),
    responses((status = 204, description = "Deleted"))
)]
pub async fn delete(
    State(app): State<App>,
    caller: Caller<need::ManageMilestones>,
    Path(id): Path<PathId<MilestoneId>>,
) -> Result<StatusCode, Problem> {
    app.store
        .milestones()
        .delete(caller.tenant(), id.known()?)
        .await?;
    Ok(StatusCode::NO_CONTENT)
}
