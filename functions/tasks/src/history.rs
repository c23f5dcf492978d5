//! `GET /api/tasks/{id}/history`

use axum::extract::State;
use shared::{
    App, Problem,
    auth::{Caller, need},
    http::{List, Path, PathId},
    model::{HistoryOf, HistorySort, Listing, TaskId},
    view::HistoryEntryView,
};

/// Lists the changes of a task, newest first.
///
/// A new `order` alone leaves no entry. The history is kept when the task is deleted.
#[utoipa::path(
    get,
    path = "/api/tasks/{id}/history",
    operation_id = "listTaskHistory"
)]
pub async fn history(
    State(app): State<App>,
    caller: Caller<need::ViewWork, Listing<(), HistorySort>>,
    Path(id): Path<PathId<TaskId>>,
) -> Result<List<HistoryEntryView>, Problem> {
    let (of, pages) = (HistoryOf::Task(id.known()?), caller.pages(&app)?);
    let page = app
        .store
        .history(caller.tenant(), of, &pages.wanted)
        .await?;
    Ok(pages.answer(page, HistoryEntryView::from)?)
}
