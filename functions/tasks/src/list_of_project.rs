//! `GET /api/projects/{projectId}/tasks`

use shared::{
    endpoint::*,
    model::{
        base::{ProjectId, ProjectTaskSort},
        work::TaskFilter,
    },
    store::work::JoinedTask,
};

/// Lists the tasks of a project by `order`, then by id.
#[utoipa::path(get, path = "/api/projects/{projectId}/tasks")]
pub async fn list_project_tasks(
    caller: Caller<need::ViewWork, Listing<TaskFilter, ProjectTaskSort>>,
    Path(project): Path<PathId<ProjectId>>,
) -> Result<List<JoinedTask>, Problem> {
    let (project, pages) = (project.known()?, caller.pages()?);
    let reader = caller.reader();
    let user = caller.user_id();
    let filter = &caller.query.filter;
    let tasks = caller.app.store.tasks();
    let page = tasks.of_project(&reader, user, project, filter, &pages.wanted);
    Ok(pages.answer(page.await?, |task| task)?)
}
