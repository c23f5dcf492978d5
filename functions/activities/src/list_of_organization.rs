//! `GET /api/organizations/{organizationId}/activities`

use shared::{
    endpoint::*,
    http::{AccessTo, denied},
    model::work::{ActivityFilter, ActivitySort},
    store::work::ActivityWithRefs,
};

use crate::list::query;

/// Lists the activities of an organization and of its projects.
///
/// The newest come first unless `sort` says otherwise. 403 `access_denied` for any organization but
/// the caller's.
#[utoipa::path(get, path = "/api/organizations/{organizationId}/activities")]
pub async fn list_organization_activities(
    caller: Caller<need::ViewWork, Listing<ActivityFilter, ActivitySort>>,
    Path(AccessTo(organization)): Path<AccessTo<OrganizationId>>,
) -> Result<List<ActivityWithRefs>, Problem> {
    caller
        .owns(organization)
        .map_err(denied)?;
    let pages = caller.pages()?;
    let activities = caller.app.store.activities();
    let reader = caller.reader();
    let page = activities.of_organization(&reader, query(&caller, &pages));
    Ok(pages.answer(page.await?, |activity| activity)?)
}
