//! `PUT /api/milestones/{id}`

use shared::{
    endpoint::*,
    model::{
        base::MilestoneId,
        work::{Milestone, MilestoneUpdate},
    },
};

/// Updates a milestone.
///
/// An absent field keeps its value.
#[utoipa::path(put, path = "/api/milestones/{id}")]
pub async fn update_milestone(
    caller: Caller<need::ManageMilestones>,
    Path(id): Path<PathId<MilestoneId>>,
    Body(update): Body<MilestoneUpdate>,
) -> Result<Single<Shown<Milestone>>, Problem<ConcurrentChange>> {
    let milestones = caller.app.store.milestones();
    let milestone = milestones.update(caller.write(), id.known()?, update);
    Ok(Single(milestone.await?.into()))
}
