//! `PATCH /api/organizations/{id}`

use shared::{
    endpoint::*,
    http::refusal::SessionRequired,
    model::people::{Organization, OrganizationUpdate},
};

/// Updates the caller's organization.
///
/// A token changes the name alone (403 `session_required`). `webUrl` guards the organization: it
/// takes all permissions of an admin, and a sign-in of the last 30 minutes (403 `sign_in_again`).
/// 404 for any other organization.
#[utoipa::path(patch, path = "/api/organizations/{id}")]
pub async fn update_organization(
    caller: Caller<need::ToRename<need::ManageOrganization>>,
    Path(id): Path<PathId<OrganizationId>>,
    Body(update): Body<OrganizationUpdate>,
) -> Result<Single<Shown<Organization>>, Problem<(ConcurrentChange, SessionRequired, SignInAgain)>>
{
    caller.owns(id)?;
    let directory = caller.app.store.directory();
    let organization =
        directory.update_organization(caller.write_demanding(update.demand()), update);
    Ok(Single(organization.await?.into()))
}
