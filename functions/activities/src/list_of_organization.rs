//! `GET /api/organizations/{organizationId}/activities`

use shared::endpoint::*;
use shared::model::{ActivityFilter, ActivitySort, OrganizationId};
use shared::store::ActivityWithRefs;

use crate::list::query;

/// Lists the activities of an organization and of its projects.
///
/// The newest come first unless `sort` says otherwise. 403 `access_denied` for any organization but
/// the caller's.
#[utoipa::path(get, path = "/api/organizations/{organizationId}/activities")]
pub async fn list_organization_activities(
    State(app): State<App>,
    caller: Caller<need::ViewWork, Listing<ActivityFilter, ActivitySort>>,
    Path(organization): Path<AccessTo<OrganizationId>>,
) -> Result<List<ActivityWithRefs>, Problem> {
    if organization.known()? != caller.tenant() {
        return Err(denied(Error::NotFound(OrganizationId::NOUN)).into());
    }
    let pages = caller.pages(&app)?;
    let activities = app.store.activities();
    let page = activities.of_organization(caller.tenant(), query(&caller, &pages));
    Ok(pages.answer(page.await?, |activity| activity)?)
}
