//! `GET /api/projects/{projectId}/members`

use shared::{
    endpoint::*,
    model::{base::ProjectId, work::MemberSort},
    store::people::MemberWithUsers,
};

/// Lists the members of a project by username.
///
/// Of a project with `visibility: members`, they and those with `manage_organization` see it. A
/// project that all see may have members, too.
#[utoipa::path(get, path = "/api/projects/{projectId}/members")]
pub async fn list_project_members(
    caller: Caller<need::ViewWork, Listing<(), MemberSort>>,
    Path(project): Path<PathId<ProjectId>>,
) -> Result<List<MemberWithUsers>, Problem> {
    let (project, pages) = (project.known()?, caller.pages()?);
    let members = caller.app.store.members();
    let reader = caller.reader();
    let page = members.list(&reader, project, &pages.wanted);
    Ok(pages.answer(page.await?, |member| member)?)
}
