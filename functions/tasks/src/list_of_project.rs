//! `GET /api/projects/{projectId}/tasks`

use axum::extract::State;
use shared::{
    App, Problem,
    auth::{Caller, need},
    http::{List, Path, PathId},
    model::{Listing, ProjectId, ProjectTaskSort, TaskFilter},
};

use crate::view::JoinedTaskView;

/// Lists the tasks of a project by `order`, then by id.
#[utoipa::path(
    get,
    path = "/api/projects/{projectId}/tasks",
    operation_id = "listProjectTasks"
)]
pub async fn list_of_project(
    State(app): State<App>,
    caller: Caller<need::ViewWork, Listing<TaskFilter, ProjectTaskSort>>,
    Path(project): Path<PathId<ProjectId>>,
) -> Result<List<JoinedTaskView>, Problem> {
    let (project, pages) = (project.known()?, caller.pages(&app)?);
    let (tenant, user) = (caller.tenant(), caller.user_id());
    let filter = &caller.query.filter;
    let tasks = app.store.tasks();
    let page = tasks.of_project(tenant, user, project, filter, &pages.wanted);
    Ok(pages.answer(page.await?, JoinedTaskView::from)?)
}
