//! `POST /api/tasks`

use shared::{
    endpoint::*,
    http::refusal::{NoRoom, ProjectArchived},
    model::work::TaskCreate,
    store::work::JoinedTask,
};

/// Creates a task in a project or in the organization at large.
///
/// A task of a project takes the last place in the project's list. 409 `project_archived` if the
/// project is archived.
#[utoipa::path(post, path = "/api/tasks")]
pub async fn create_task(
    caller: Caller<need::CreateTask>,
    Body(new): Body<TaskCreate>,
) -> Result<Single<JoinedTask>, Problem<(ProjectArchived, NoRoom, ConcurrentChange)>> {
    let task = caller
        .app
        .store
        .tasks()
        .create(caller.write(), new)
        .await?;
    Ok(Single(task))
}
