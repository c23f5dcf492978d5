//! `POST /api/milestones`

use axum::extract::State;
use shared::{
    App, Problem,
    auth::{Caller, need},
    http::{Body, Single, refusal::ProjectArchived},
    model::MilestoneCreate,
};

use crate::view::MilestoneView;

/// Creates a milestone of a project.
#[utoipa::path(post, path = "/api/milestones", operation_id = "createMilestone")]
pub async fn create(
    State(app): State<App>,
    caller: Caller<need::ManageMilestones>,
    Body(new): Body<MilestoneCreate>,
) -> Result<Single<MilestoneView>, Problem<ProjectArchived>> {
    let milestones = app.store.milestones();
    let milestone = milestones.create(caller.permit(), new).await?;
    Ok(Single(milestone.into()))
}
