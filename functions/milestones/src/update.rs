//! `PUT /api/milestones/{id}`

use shared::endpoint::*;
use shared::model::{MilestoneId, MilestoneUpdate};

use crate::view::MilestoneView;

/// Updates a milestone.
///
/// An absent field keeps its value.
#[utoipa::path(put, path = "/api/milestones/{id}", operation_id = "updateMilestone")]
pub async fn update(
    State(app): State<App>,
    caller: Caller<need::ManageMilestones>,
    Path(id): Path<PathId<MilestoneId>>,
    Body(update): Body<MilestoneUpdate>,
) -> Result<Single<MilestoneView>, Problem<ConcurrentChange>> {
    let milestones = app.store.milestones();
    let milestone = milestones.update(caller.pending_write(), id.known()?, update);
    Ok(Single(milestone.await?.into()))
}
