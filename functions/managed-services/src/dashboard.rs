//! `GET /api/managed-services/dashboard`

use axum::{Json, extract::State};
use serde::Serialize;
use shared::{
    App, Problem,
    auth::{Caller, need},
    http::fitting,
    model::{
        ActivityId, ActivityType, Content, OrganizationId, ProjectId, Slug, Timestamp, UserRef,
    },
    store::{Dashboard, FeedItem, Metrics},
    view::ServiceRequestView,
};
use utoipa::ToSchema;

use crate::view::TicketView;

/// What is newest in the organization, and how it is doing.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Dashboard)]
#[serde(rename_all = "camelCase")]
pub struct DashboardView {
    /// The 20 newest; fewer when their texts are longer than an answer may be.
    service_requests: Vec<ServiceRequestView>,
    /// The 20 newest.
    tickets: Vec<TicketView>,
    metrics: MetricsView,
    /// The 20 newest activities, by when they happened; fewer when their texts are longer than an
    /// answer may be.
    activity_feed: Vec<FeedItemView>,
}

/// How the organization is doing.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Metrics)]
#[serde(rename_all = "camelCase")]
pub struct MetricsView {
    /// Projects with status active.
    active_engagements: i64,
    /// Mean hours from creation to resolution of the service requests and tickets resolved on the
    /// last 90 days (UTC, today included), to two decimals; 0 when there was none.
    avg_resolution_time: f64,
    /// Hours of manual work that effective automated actions saved, to two decimals; `hours-saved` lists
    /// them.
    hours_saved: f64,
}

/// An activity as the dashboard shows it.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = FeedItem)]
#[serde(rename_all = "camelCase")]
pub struct FeedItemView {
    id: ActivityId,
    #[serde(rename = "type")]
    kind: ActivityType,
    subtype: Option<Slug>,
    description: Content,
    timestamp: Timestamp,
    project_id: Option<ProjectId>,
    organization_id: OrganizationId,
    creator: Option<UserRef>,
}

/// The most bytes of either long list in an answer, of which Lambda takes 6 MB.
const MOST_BYTES: usize = 2_000_000;

/// Shows what is newest in the caller's organization, and how it is doing.
#[utoipa::path(
    get,
    path = "/api/managed-services/dashboard",
    operation_id = "getDashboard"
)]
pub async fn dashboard(
    State(app): State<App>,
    caller: Caller<need::ViewManagedServices>,
) -> Result<Json<DashboardView>, Problem> {
    let dashboard = app.store.dashboard().of(caller.tenant()).await?;
    Ok(Json(dashboard.into()))
}

impl From<Dashboard> for DashboardView {
    fn from(dashboard: Dashboard) -> Self {
        let requests = dashboard.service_requests.into_iter().map(Into::into);
        let activities = dashboard.activities.into_iter().map(Into::into);
        Self {
            service_requests: fitting(requests.collect(), MOST_BYTES),
            tickets: dashboard.tickets.into_iter().map(Into::into).collect(),
            metrics: dashboard.metrics.into(),
            activity_feed: fitting(activities.collect(), MOST_BYTES),
        }
    }
}

impl From<Metrics> for MetricsView {
    fn from(metrics: Metrics) -> Self {
        #[expect(
            clippy::cast_precision_loss,
            reason = "2^53 minutes are more than anybody saves"
        )]
        let hours_saved = metrics.minutes_saved as f64 / 60.0;
        let two_decimals = |number: f64| (number * 100.0).round() / 100.0;
        Self {
            active_engagements: metrics.active_engagements,
            avg_resolution_time: two_decimals(metrics.resolution_hours),
            hours_saved: two_decimals(hours_saved),
        }
    }
}

impl From<FeedItem> for FeedItemView {
    fn from(FeedItem { activity, creator }: FeedItem) -> Self {
        Self {
            id: activity.id,
            kind: activity.kind,
            subtype: activity.subtype,
            description: activity.description,
            timestamp: activity.timestamp,
            project_id: activity.project_id,
            organization_id: activity.organization_id,
            creator,
        }
    }
}
