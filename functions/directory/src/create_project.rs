//! `POST /api/projects`

use shared::{
    endpoint::*,
    http::refusal::{CustomerArchived, TooManyMemberships, TooManyRestrictedProjects},
    model::work::{Project, ProjectCreate},
};

/// Creates a project.
///
/// 409 `customer_archived` if its customer is archived. With `visibility: members`, the caller
/// becomes its first member, and others never see it.
#[utoipa::path(post, path = "/api/projects")]
pub async fn create_project(
    caller: Caller<need::ManageDirectory>,
    Body(new): Body<ProjectCreate>,
) -> Result<
    Single<Shown<Project>>,
    Problem<(
        CustomerArchived,
        TooManyMemberships,
        TooManyRestrictedProjects,
    )>,
> {
    let directory = caller.app.store.directory();
    let project = directory
        .create_project(caller.write(), new)
        .await?;
    Ok(Single(project.into()))
}
