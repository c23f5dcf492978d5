//! `GET /api/organizations/{id}`

use axum::extract::State;
use shared::{
    App, Error, Problem,
    auth::{Caller, need},
    http::{Path, PathId, Single},
    model::{Id, OrganizationId},
};

use crate::view::OrganizationView;

/// Returns the caller's organization.
///
/// 404 for any other organization.
#[utoipa::path(
    get,
    path = "/api/organizations/{id}",
    operation_id = "getOrganization"
)]
pub async fn get_organization(
    State(_): State<App>,
    caller: Caller<need::ViewWork>,
    Path(id): Path<PathId<OrganizationId>>,
) -> Result<Single<OrganizationView>, Problem> {
    if id.known()? != caller.tenant() {
        return Err(Error::NotFound(OrganizationId::NOUN).into());
    }
    // The caller's organization was read to authorize the request.
    let identity = caller.identity().await?;
    Ok(Single(identity.organization.clone().into()))
}
