//! `PATCH /api/organizations/{id}`

use shared::endpoint::*;

/// Updates the caller's organization.
///
/// 404 for any other organization.
#[utoipa::path(patch, path = "/api/organizations/{id}")]
pub async fn update_organization(
    caller: Caller<need::ToRename<need::ManageOrganization>>,
    Path(id): Path<PathId<OrganizationId>>,
    Body(update): Body<OrganizationUpdate>,
) -> Result<Single<Shown<Organization>>, Problem<ConcurrentChange>> {
    caller.owns(id)?;
    let directory = caller.app.store.directory();
    let organization = directory.update_organization(caller.write(), update);
    Ok(Single(organization.await?.into()))
}
