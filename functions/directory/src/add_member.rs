//! `PUT /api/projects/{projectId}/members/{userId}`

use shared::{
    endpoint::*,
    http::refusal::{TooManyMembers, TooManyMemberships},
    model::base::{ProjectId, UserId},
};

/// Makes a user a member of a project.
///
/// No change for a member. The member sees the project with the next request. A project has at most
/// 200 members, and a user is a member of at most 200 projects.
#[utoipa::path(put, path = "/api/projects/{projectId}/members/{userId}")]
pub async fn add_project_member(
    caller: Caller<need::ManageDirectory>,
    Path((project, user)): Path<(PathId<ProjectId>, PathId<UserId>)>,
) -> Result<NoContent, Problem<(ConcurrentChange, TooManyMembers, TooManyMemberships)>> {
    let members = caller.app.store.members();
    members
        .add(caller.write(), project.known()?, user.known()?)
        .await?;
    Ok(NoContent)
}
