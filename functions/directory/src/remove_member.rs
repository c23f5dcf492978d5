//! `DELETE /api/projects/{projectId}/members/{userId}`

use shared::{
    endpoint::*,
    model::base::{ProjectId, UserId},
};

/// Removes a member of a project.
///
/// The user no longer sees a project with `visibility: members`, from the next request on. The last
/// member may leave: those with `manage_organization` see the project. 404 for a user who is no
/// member.
#[utoipa::path(delete, path = "/api/projects/{projectId}/members/{userId}")]
pub async fn remove_project_member(
    caller: Caller<need::ManageDirectory>,
    Path((project, user)): Path<(PathId<ProjectId>, PathId<UserId>)>,
) -> Result<NoContent, Problem<ConcurrentChange>> {
    let members = caller.app.store.members();
    members
        .remove(caller.write(), project.known()?, user.known()?)
        .await?;
    Ok(NoContent)
}
