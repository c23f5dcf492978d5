//! `GET /api/projects/{projectId}/activities`

use axum::{Json, extract::State};
use shared::{
    App, Problem,
    auth::{Caller, need},
    http::{Path, PathId},
    model::ProjectId,
};

use crate::{access, view::ActivityWithRefsView};

/// Lists a project's activities, newest first. 403 for any project that is not the caller's
/// organization's.
#[utoipa::path(
    get, path = "/api/projects/{projectId}/activities", operation_id = "listProjectActivities", tag = "activities",
    params(("projectId" = ProjectId, Path)),
    responses((status = 200, description = "The activities", body = [ActivityWithRefsView]))
)]
pub async fn list_of_project(
    State(app): State<App>,
    caller: Caller<need::ViewWork>,
    Path(project): Path<PathId<ProjectId>>,
) -> Result<Json<Vec<ActivityWithRefsView>>, Problem> {
    let project = project.known().map_err(access::denied)?;
    let activities = app
        .store
        .activities()
        .of_project(caller.tenant(), project)
        .await
        .map_err(access::denied)?;
    Ok(Json(activities.into_iter().map(Into::into).collect()))
}
