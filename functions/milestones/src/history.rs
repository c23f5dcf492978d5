//! `GET /api/milestones/{id}/history`

use shared::{
    endpoint::*,
    model::base::{HistoryOf, HistorySort, MilestoneId},
    store::base::EntryWithActor,
};

/// Lists the changes of a milestone, newest first.
///
/// The history is kept when the milestone is deleted.
#[utoipa::path(get, path = "/api/milestones/{id}/history")]
pub async fn list_milestone_history(
    caller: Caller<need::ViewWork, Listing<(), HistorySort>>,
    Path(id): Path<PathId<MilestoneId>>,
) -> Result<List<EntryWithActor>, Problem> {
    caller
        .history(HistoryOf::from(id.known()?))
        .await
}
