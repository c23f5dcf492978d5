//! `GET /api/tasks`

use shared::{
    endpoint::*,
    model::{base::TaskSort, work::TaskFilter},
    store::work::JoinedTask,
};

/// Lists the tasks of the caller's organization.
///
/// They come by id unless `sort` says otherwise.
#[utoipa::path(get, path = "/api/tasks")]
pub async fn list_tasks(
    caller: Caller<need::ViewWork, Listing<TaskFilter, TaskSort>>,
) -> Result<List<JoinedTask>, Problem> {
    let pages = caller.pages()?;
    let Listing { filter, sort, .. } = &caller.query;
    let reader = caller.reader();
    let user = caller.user_id();
    let tasks = caller.app.store.tasks();
    let page = tasks.list(&reader, user, filter, *sort, &pages.wanted);
    Ok(pages.answer(page.await?, |task| task)?)
}
