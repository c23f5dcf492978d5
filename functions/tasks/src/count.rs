//! `GET /api/projects/{projectId}/task-counts`

use shared::{endpoint::*, model::base::ProjectId, store::work::TaskCounts};

/// Counts the tasks of a project by status and by assignee.
///
/// At most 10,000 tasks are counted; `complete` is false if there are more.
#[utoipa::path(get, path = "/api/projects/{projectId}/task-counts")]
pub async fn count_project_tasks(
    caller: Caller<need::ViewWork>,
    Path(project): Path<PathId<ProjectId>>,
) -> Result<Json<TaskCounts>, Problem> {
    let tasks = caller.app.store.tasks();
    let counts = tasks
        .counts(&caller.reader(), project.known()?)
        .await?;
    Ok(Json(counts))
}
