//! `GET /api/tasks`

use axum::extract::State;
use shared::{
    App, Problem,
    auth::{Caller, need},
    http::List,
};

use crate::view::ListedTask;

/// Lists all tasks of the caller's organization by id.
#[utoipa::path(get, path = "/api/tasks", operation_id = "listTasks")]
pub async fn list(
    State(app): State<App>,
    caller: Caller<need::ViewWork>,
) -> Result<List<ListedTask>, Problem> {
    Ok(List::of(app.store.tasks().all(caller.tenant()).await?))
}
