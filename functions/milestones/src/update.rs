//! `PUT /api/milestones/{id}`

use axum::{Json, extract::State};
use shared::{
    App, Problem,
    auth::{Caller, need},
    http::{Body, Path, PathId, refusal::ConcurrentChange},
    model::{MilestoneId, MilestoneUpdate},
};

use crate::view::MilestoneView;

/// Changes a milestone.
#[utoipa::path(put, path = "/api/milestones/{id}", operation_id = "updateMilestone")]
pub async fn update(
    State(app): State<App>,
    caller: Caller<need::ManageMilestones>,
    Path(id): Path<PathId<MilestoneId>>,
    Body(update): Body<MilestoneUpdate>,
) -> Result<Json<MilestoneView>, Problem<ConcurrentChange>> {
    let milestones = app.store.milestones();
    let milestone = milestones.update(caller.permit(), id.known()?, update);
    Ok(Json(milestone.await?.into()))
}
