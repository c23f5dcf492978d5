//! `GET /api/organizations/{id}`

use shared::endpoint::*;
use shared::model::{Organization, OrganizationId};

/// Returns the caller's organization.
///
/// 404 for any other organization.
#[utoipa::path(get, path = "/api/organizations/{id}")]
pub async fn get_organization(
    State(app): State<App>,
    caller: Caller<need::ViewWork>,
    Path(id): Path<PathId<OrganizationId>>,
) -> Result<Single<Shown<Organization>>, Problem> {
    let id = id.known()?;
    if id != caller.tenant() {
        return Err(Error::NotFound(OrganizationId::NOUN).into());
    }
    // That of the caller may be five seconds old, and its version names the change of another request.
    let organization = app.store.directory().organization(id).await?;
    Ok(Single(organization.into()))
}
