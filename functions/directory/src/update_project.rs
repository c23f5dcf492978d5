//! `PATCH /api/projects/{id}`

use shared::{
    endpoint::*,
    http::refusal::{
        CustomerArchived, TooManyMembers, TooManyMemberships, TooManyRestrictedProjects,
    },
    model::{
        base::ProjectId,
        work::{Project, ProjectUpdate},
    },
};

/// Updates a project.
///
/// An archived project takes no new tasks, milestones, activities or phases. What it has can still
/// be read, changed and finished. A new customer that is archived is 409 `customer_archived`. Who
/// sets `visibility: members` becomes a member. A change of the visibility holds everywhere within
/// five seconds.
#[utoipa::path(patch, path = "/api/projects/{id}")]
pub async fn update_project(
    caller: Caller<need::ManageDirectory>,
    Path(id): Path<PathId<ProjectId>>,
    Body(update): Body<ProjectUpdate>,
) -> Result<
    Single<Shown<Project>>,
    Problem<(
        ConcurrentChange,
        CustomerArchived,
        TooManyMembers,
        TooManyMemberships,
        TooManyRestrictedProjects,
    )>,
> {
    let directory = caller.app.store.directory();
    let project = directory.update_project(caller.write(), id.known()?, update);
    Ok(Single(project.await?.into()))
}
