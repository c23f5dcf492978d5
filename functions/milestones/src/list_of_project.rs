//! `GET /api/projects/{projectId}/milestones`

use axum::extract::State;
use shared::{
    App, Problem,
    auth::{Caller, need},
    http::{List, Path, PathId},
    model::ProjectId,
};

use crate::view::MilestoneWithTasksView;

/// Lists a project's milestones by due date, those without one last, each with its tasks.
#[utoipa::path(
    get,
    path = "/api/projects/{projectId}/milestones",
    operation_id = "listProjectMilestones"
)]
pub async fn list_of_project(
    State(app): State<App>,
    caller: Caller<need::ViewWork>,
    Path(project): Path<PathId<ProjectId>>,
) -> Result<List<MilestoneWithTasksView>, Problem> {
    let milestones = app.store.milestones();
    let milestones = milestones.of_project(caller.tenant(), project.known()?);
    Ok(List::of(milestones.await?))
}
