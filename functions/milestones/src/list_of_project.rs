//! `GET /api/projects/{projectId}/milestones`

use axum::{Json, extract::State};
use shared::{
    App, Problem,
    auth::{Caller, need},
    http::{Path, PathId},
    model::ProjectId,
};

use crate::view::MilestoneView;

/// Lists a project's milestones by due date, those without one last, each with its tasks.
#[utoipa::path(
    get, path = "/api/projects/{projectId}/milestones", operation_id = "listProjectMilestones", tag = "milestones",
    params(("projectId" = ProjectId, Path)),
    responses((status = 200, description = "The milestones with their tasks", body = [MilestoneView]))
)]
pub async fn list_of_project(
    State(app): State<App>,
    caller: Caller<need::ViewWork>,
    Path(project): Path<PathId<ProjectId>>,
) -> Result<Json<Vec<MilestoneView>>, Problem> {
    let milestones = app
        .store
        .milestones()
        .of_project(caller.tenant(), project.known()?)
        .await?;
    Ok(Json(milestones.into_iter().map(Into::into).collect()))
}
