//! `GET /api/milestones/{id}/history`

use shared::endpoint::{
    Caller, EntryWithActor, HistoryOf, HistorySort, Id, List, Listing, MilestoneId, Path, PathId,
    Problem, need,
};

/// Lists the changes of a milestone, newest first.
///
/// The history is kept when the milestone is deleted.
#[utoipa::path(get, path = "/api/milestones/{id}/history")]
pub async fn list_milestone_history(
    caller: Caller<need::ViewWork, Listing<(), HistorySort>>,
    Path(id): Path<PathId<MilestoneId>>,
) -> Result<List<EntryWithActor>, Problem> {
    caller.history(HistoryOf::from(id.known()?)).await
}
