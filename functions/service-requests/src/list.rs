//! `GET /api/service-requests`

use shared::{
    endpoint::*,
    model::{base::CreatedSort, work::ServiceRequestFilter},
    view::ServiceRequestView,
};

/// Lists the service requests of the caller's organization.
///
/// The newest come first unless `sort` says otherwise.
#[utoipa::path(get, path = "/api/service-requests")]
pub async fn list_service_requests(
    caller: Caller<need::ViewWork, Listing<ServiceRequestFilter, CreatedSort>>,
) -> Result<List<ServiceRequestView>, Problem> {
    let pages = caller.pages()?;
    let Listing { filter, sort, .. } = &caller.query;
    let reader = caller.reader();
    let user = caller.user_id();
    let requests = caller.app.store.service_requests();
    let page = requests.list(&reader, user, filter, *sort, &pages.wanted);
    Ok(pages.answer(page.await?, ServiceRequestView::from)?)
}
