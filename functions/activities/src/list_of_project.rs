//! `GET /api/projects/{projectId}/activities`

use axum::extract::State;
use shared::{
    App, Problem,
    auth::{Caller, need},
    http::{AccessTo, List, Path, denied},
    model::ProjectId,
};

use crate::view::ActivityWithRefsView;

/// Lists a project's activities, newest first. 403 for any project that is not the caller's
/// organization's.
#[utoipa::path(
    get,
    path = "/api/projects/{projectId}/activities",
    operation_id = "listProjectActivities"
)]
pub async fn list_of_project(
    State(app): State<App>,
    caller: Caller<need::ViewWork>,
    Path(project): Path<AccessTo<ProjectId>>,
) -> Result<List<ActivityWithRefsView>, Problem> {
    let activities = app.store.activities();
    let activities = activities.of_project(caller.tenant(), project.known()?);
    Ok(List::of(activities.await.map_err(denied)?))
}
