//! `GET /api/projects/{id}/history`

use shared::endpoint::*;
use shared::model::{HistoryOf, HistorySort, ProjectId};
use shared::store::EntryWithActor;

/// Lists the changes of a project, newest first.
#[utoipa::path(get, path = "/api/projects/{id}/history")]
pub async fn list_project_history(
    State(app): State<App>,
    caller: Caller<need::ViewWork, Listing<(), HistorySort>>,
    Path(id): Path<PathId<ProjectId>>,
) -> Result<List<EntryWithActor>, Problem> {
    caller.history(&app, HistoryOf::from(id.known()?)).await
}
