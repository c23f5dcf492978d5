//! `GET /api/organizations/{organizationId}/activities`

use axum::{Json, extract::State};
use shared::{
    App, Error, Problem,
    auth::{Caller, need},
    http::{Path, PathId},
    model::{Id, OrganizationId},
};

use crate::{access, view::ActivityWithRefsView};

/// Lists an organization's activities, those of its projects included, newest first. 403 for any
/// organization but the caller's.
#[utoipa::path(
    get, path = "/api/organizations/{organizationId}/activities", operation_id = "listOrganizationActivities", tag = "activities",
    params(("organizationId" = OrganizationId, Path)),
    responses((status = 200, description = "The activities", body = [ActivityWithRefsView]))
)]
pub async fn list_of_organization(
    State(app): State<App>,
    caller: Caller<need::ViewWork>,
    Path(organization): Path<PathId<OrganizationId>>,
) -> Result<Json<Vec<ActivityWithRefsView>>, Problem> {
    let organization = organization.known().map_err(access::denied)?;
    if organization != caller.tenant() {
        return Err(access::denied(Error::NotFound(OrganizationId::NOUN)).into());
    }
    let activities = app.store.activities();
    let activities = activities.of_organization(organization).await?;
    Ok(Json(activities.into_iter().map(Into::into).collect()))
}
