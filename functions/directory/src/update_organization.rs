//! `PATCH /api/organizations/{id}`

use shared::endpoint::*;
use shared::model::{Organization, OrganizationId, OrganizationUpdate};

/// Updates the caller's organization.
///
/// 404 for any other organization.
#[utoipa::path(patch, path = "/api/organizations/{id}")]
pub async fn update_organization(
    State(app): State<App>,
    caller: Caller<need::ToRename<need::ManageOrganization>>,
    Path(id): Path<PathId<OrganizationId>>,
    Body(update): Body<OrganizationUpdate>,
) -> Result<Single<Shown<Organization>>, Problem<ConcurrentChange>> {
    if id.known()? != caller.tenant() {
        return Err(Error::NotFound(OrganizationId::NOUN).into());
    }
    let directory = app.store.directory();
    let organization = directory.update_organization(caller.pending_write(), update);
    Ok(Single(organization.await?.into()))
}
