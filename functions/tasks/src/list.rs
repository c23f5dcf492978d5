//! `GET /api/tasks`

use shared::endpoint::*;
use shared::model::{TaskFilter, TaskSort};
use shared::store::JoinedTask;

/// Lists the tasks of the caller's organization.
///
/// They come by id unless `sort` says otherwise.
#[utoipa::path(get, path = "/api/tasks")]
pub async fn list_tasks(
    State(app): State<App>,
    caller: Caller<need::ViewWork, Listing<TaskFilter, TaskSort>>,
) -> Result<List<JoinedTask>, Problem> {
    let pages = caller.pages(&app)?;
    let Listing { filter, sort, .. } = &caller.query;
    let (tenant, user) = (caller.tenant(), caller.user_id());
    let tasks = app.store.tasks();
    let page = tasks
        .list(tenant, user, filter, *sort, &pages.wanted)
        .await?;
    Ok(pages.answer(page, |task| task)?)
}
