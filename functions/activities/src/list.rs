//! `GET /api/activities`

use shared::{
    endpoint::*,
    model::work::{ActivityFilter, ActivitySort},
    store::work::{ActivitiesQuery, ActivityWithRefs},
};

/// Lists the activities of the caller's organization and of its projects.
///
/// The newest come first unless `sort` says otherwise.
#[utoipa::path(get, path = "/api/activities")]
pub async fn list_activities(
    caller: Caller<need::ViewWork, Listing<ActivityFilter, ActivitySort>>,
) -> Result<List<ActivityWithRefs>, Problem> {
    let pages = caller.pages()?;
    let activities = caller.app.store.activities();
    let reader = caller.reader();
    let page = activities.of_organization(&reader, query(&caller, &pages));
    Ok(pages.answer(page.await?, |activity| activity)?)
}

pub fn query<'a, N>(
    caller: &'a Caller<N, Listing<ActivityFilter, ActivitySort>>,
    pages: &'a Pages,
) -> ActivitiesQuery<'a> {
    ActivitiesQuery {
        caller: caller.user_id(),
        filter: &caller.query.filter,
        sort: caller.query.sort,
        wanted: &pages.wanted,
    }
}
