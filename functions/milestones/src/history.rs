//! `GET /api/milestones/{id}/history`

use axum::extract::State;
use shared::{
    App, Problem,
    auth::{Caller, need},
    http::{List, Path, PathId},
    model::{HistoryOf, HistorySort, Listing, MilestoneId},
    view::HistoryEntryView,
};

/// Lists the changes of a milestone, newest first.
///
/// The history is kept when the milestone is deleted.
#[utoipa::path(
    get,
    path = "/api/milestones/{id}/history",
    operation_id = "listMilestoneHistory"
)]
pub async fn history(
    State(app): State<App>,
    caller: Caller<need::ViewWork, Listing<(), HistorySort>>,
    Path(id): Path<PathId<MilestoneId>>,
) -> Result<List<HistoryEntryView>, Problem> {
    let (of, pages) = (HistoryOf::Milestone(id.known()?), caller.pages(&app)?);
    let page = app
        .store
        .history(caller.tenant(), of, &pages.wanted)
        .await?;
    Ok(pages.answer(page, HistoryEntryView::from)?)
}
