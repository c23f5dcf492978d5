//! `GET /api/organizations/{id}`

use shared::{endpoint::*, model::people::Organization};

/// Returns the caller's organization.
///
/// 404 for any other organization.
#[utoipa::path(get, path = "/api/organizations/{id}")]
pub async fn get_organization(
    caller: Caller<need::ViewWork>,
    Path(id): Path<PathId<OrganizationId>>,
) -> Result<Single<Shown<Organization>>, Problem> {
    caller.owns(id)?;
    // That of the caller may be five seconds old, and its version names the change of another
    // request.
    let directory = caller.app.store.directory();
    let organization = directory
        .organization(caller.tenant())
        .await?;
    Ok(Single(organization.into()))
}
