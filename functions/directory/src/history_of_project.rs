//! `GET /api/projects/{id}/history`

use shared::endpoint::*;
use shared::model::{HistoryOf, HistorySort, ProjectId};
use shared::store::EntryWithActor;

/// Lists the changes of a project, newest first.
#[utoipa::path(
    get,
    path = "/api/projects/{id}/history",
    operation_id = "listProjectHistory"
)]
pub async fn history_of_project(
    State(app): State<App>,
    caller: Caller<need::ViewWork, Listing<(), HistorySort>>,
    Path(id): Path<PathId<ProjectId>>,
) -> Result<List<EntryWithActor>, Problem> {
    caller.history(&app, HistoryOf::from(id.known()?)).await
}
