//! `GET /api/tasks`

use axum::extract::State;
use shared::{
    App, Problem,
    auth::{Caller, need},
    http::List,
    model::{Listing, TaskFilter, TaskSort},
};

use crate::view::JoinedTaskView;

/// Lists the tasks of the caller's organization.
///
/// They come by id unless `sort` says otherwise.
#[utoipa::path(get, path = "/api/tasks", operation_id = "listTasks")]
pub async fn list(
    State(app): State<App>,
    caller: Caller<need::ViewWork, Listing<TaskFilter, TaskSort>>,
) -> Result<List<JoinedTaskView>, Problem> {
    let pages = caller.pages(&app)?;
    let Listing { filter, sort, .. } = &caller.query;
    let (tenant, user) = (caller.tenant(), caller.user_id());
    let tasks = app.store.tasks();
    let page = tasks
        .list(tenant, user, filter, *sort, &pages.wanted)
        .await?;
    Ok(pages.answer(page, JoinedTaskView::from)?)
}
