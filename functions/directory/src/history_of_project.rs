//! `GET /api/projects/{id}/history`

use axum::extract::State;
use shared::{
    App, Problem,
    auth::{Caller, need},
    http::{List, Path, PathId},
    model::{HistoryOf, HistorySort, Listing, ProjectId},
    view::HistoryEntryView,
};

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
) -> Result<List<HistoryEntryView>, Problem> {
    let (of, pages) = (HistoryOf::Project(id.known()?), caller.pages(&app)?);
    let page = app
        .store
        .history(caller.tenant(), of, &pages.wanted)
        .await?;
    Ok(pages.answer(page, HistoryEntryView::from)?)
}
