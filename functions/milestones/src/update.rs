//! `PUT /api/milestones/{id}`

use shared::endpoint::*;
use shared::model::{Milestone, MilestoneId, MilestoneUpdate};

/// Updates a milestone.
///
/// An absent field keeps its value.
#[utoipa::path(put, path = "/api/milestones/{id}")]
pub async fn update_milestone(
    State(app): State<App>,
    caller: Caller<need::ManageMilestones>,
    Path(id): Path<PathId<MilestoneId>>,
    Body(update): Body<MilestoneUpdate>,
) -> Result<Single<Shown<Milestone>>, Problem<ConcurrentChange>> {
    let milestones = app.store.milestones();
    let milestone = milestones.update(caller.pending_write(), id.known()?, update);
    Ok(Single(milestone.await?.into()))
}
