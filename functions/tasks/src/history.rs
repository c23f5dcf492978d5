//! `GET /api/tasks/{id}/history`

use shared::{
    endpoint::*,
    model::base::{HistoryOf, HistorySort, TaskId},
    store::base::EntryWithActor,
};

/// Lists the changes of a task, newest first.
///
/// A new `order` alone leaves no entry. The history is kept when the task is deleted.
#[utoipa::path(get, path = "/api/tasks/{id}/history")]
pub async fn list_task_history(
    caller: Caller<need::ViewWork, Listing<(), HistorySort>>,
    Path(id): Path<PathId<TaskId>>,
) -> Result<List<EntryWithActor>, Problem> {
    caller
        .history(HistoryOf::from(id.known()?))
        .await
}
