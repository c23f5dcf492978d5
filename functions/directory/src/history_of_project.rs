//! `GET /api/projects/{id}/history`

use shared::{
    endpoint::*,
    model::base::{HistoryOf, HistorySort, ProjectId},
    store::base::EntryWithActor,
};

/// Lists the changes of a project, newest first.
#[utoipa::path(get, path = "/api/projects/{id}/history")]
pub async fn list_project_history(
    caller: Caller<need::ViewWork, Listing<(), HistorySort>>,
    Path(id): Path<PathId<ProjectId>>,
) -> Result<List<EntryWithActor>, Problem> {
    caller
        .history(HistoryOf::from(id.known()?))
        .await
}
