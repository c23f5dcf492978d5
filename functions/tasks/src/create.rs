//! `POST /api/tasks`

use axum::extract::State;
use shared::{
    App, Problem,
    auth::{Caller, need},
    http::{Body, Single, refusal::ProjectArchived},
    model::TaskCreate,
};

use crate::view::TaskView;

/// Creates a task in a project, at the end of its list, or in the organization at large.
#[utoipa::path(post, path = "/api/tasks", operation_id = "createTask")]
pub async fn create(
    State(app): State<App>,
    caller: Caller<need::CreateTask>,
    Body(new): Body<TaskCreate>,
) -> Result<Single<TaskView>, Problem<ProjectArchived>> {
    let task = app.store.tasks().create(caller.permit(), new).await?;
    Ok(Single(task.into()))
}
