//! `GET /api/projects/{projectId}/tasks`

use shared::endpoint::*;
use shared::model::{ProjectId, ProjectTaskSort, TaskFilter};
use shared::store::JoinedTask;

/// Lists the tasks of a project by `order`, then by id.
#[utoipa::path(get, path = "/api/projects/{projectId}/tasks")]
pub async fn list_project_tasks(
    State(app): State<App>,
    caller: Caller<need::ViewWork, Listing<TaskFilter, ProjectTaskSort>>,
    Path(project): Path<PathId<ProjectId>>,
) -> Result<List<JoinedTask>, Problem> {
    let (project, pages) = (project.known()?, caller.pages(&app)?);
    let (tenant, user) = (caller.tenant(), caller.user_id());
    let filter = &caller.query.filter;
    let tasks = app.store.tasks();
    let page = tasks.of_project(tenant, user, project, filter, &pages.wanted);
    Ok(pages.answer(page.await?, |task| task)?)
}
