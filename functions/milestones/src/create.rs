//! `POST /api/milestones`

use shared::{
    endpoint::*,
    http::refusal::ProjectArchived,
    model::work::{Milestone, MilestoneCreate},
};

/// Adds a milestone to a project.
///
/// 409 `project_archived` if the project is archived.
#[utoipa::path(post, path = "/api/milestones")]
pub async fn create_milestone(
    caller: Caller<need::ManageMilestones>,
    Body(new): Body<MilestoneCreate>,
) -> Result<Single<Shown<Milestone>>, Problem<ProjectArchived>> {
    let milestones = caller.app.store.milestones();
    let milestone = milestones
        .create(caller.write(), new)
        .await?;
    Ok(Single(milestone.into()))
}
