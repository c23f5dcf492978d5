//! `GET /api/organizations/{id}`

use axum::extract::State;
use shared::{
    App, Error, Problem,
    auth::{Caller, need},
    http::{Path, PathId, Single},
    model::{Id, OrganizationId},
};

use crate::view::OrganizationView;

/// Reads the caller's organization.
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
    // Who calls was read with it.
    let identity = caller.identity().await?;
    Ok(Single(identity.organization.clone().into()))
}
