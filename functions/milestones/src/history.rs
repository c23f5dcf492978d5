//! `GET /api/milestones/{id}/history`

use shared::endpoint::{Id, Path, Caller, need, Listing, HistorySort, PathId, MilestoneId, List, EntryWithActor, Problem, HistoryOf};

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
