//! `GET /api/managed-services/dashboard`

use shared::{
    endpoint::*,
    http::fitting,
    store::work::{FeedItem, Metrics, TaggedTicket},
    view::ServiceRequestView,
};

/// The organization's newest records and its metrics.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Dashboard)]
#[serde(rename_all = "camelCase")]
pub struct DashboardView {
    /// The 20 newest service requests; fewer if they exceed 2 MB.
    service_requests: Vec<ServiceRequestView>,
    /// The 20 newest tickets.
    tickets: Vec<TaggedTicket>,
    metrics: Metrics,
    /// The 20 newest activities by `timestamp`; fewer if they exceed 2 MB.
    activity_feed: Vec<FeedItem>,
}

/// Most bytes of the service requests, and of the activities. Lambda takes answers up to 6 MB.
const MOST_BYTES: usize = 2_000_000;

/// Returns the dashboard of the caller's organization.
///
/// Contains the 20 newest service requests, tickets and activities, and metrics.
#[utoipa::path(get, path = "/api/managed-services/dashboard")]
pub async fn get_dashboard(
    caller: Caller<need::ViewManagedServices>,
) -> Result<Json<DashboardView>, Problem> {
    let dashboard = caller
        .app
        .store
        .dashboard()
        .of(&caller.reader())
        .await?;
    let requests = dashboard
        .service_requests
        .into_iter()
        .map(Into::into);
    Ok(Json(DashboardView {
        service_requests: fitting(requests.collect(), MOST_BYTES),
        tickets: dashboard.tickets,
        metrics: dashboard.metrics,
        activity_feed: fitting(dashboard.activities, MOST_BYTES),
    }))
}
