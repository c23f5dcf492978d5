//! `GET /api/managed-services/dashboard`

use axum::{Json, extract::State};
use serde::Serialize;
use shared::{
    App, Problem,
    auth::{Caller, need},
    http::fitting,
    model::{
        ActivityId, ActivityType, Content, OrOther, OrganizationId, ProjectId, Slug, Timestamp,
        UserRef,
    },
    store::{Dashboard, FeedItem, Metrics},
    view::ServiceRequestView,
};
use utoipa::ToSchema;

use crate::view::TicketView;

/// The organization's newest records and its metrics.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Dashboard)]
#[serde(rename_all = "camelCase")]
pub struct DashboardView {
    /// The 20 newest service requests; fewer if they exceed 2 MB.
    service_requests: Vec<ServiceRequestView>,
    /// The 20 newest tickets.
    tickets: Vec<TicketView>,
    metrics: MetricsView,
    /// The 20 newest activities by `timestamp`; fewer if they exceed 2 MB.
    activity_feed: Vec<FeedItemView>,
}

/// Metrics of the organization.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Metrics, examples(json!({
    "activeEngagements": 2,
    "avgResolutionTime": 26.5,
    "hoursSaved": 0.42
})))]
#[serde(rename_all = "camelCase")]
pub struct MetricsView {
    /// Number of projects with the status `active`.
    active_engagements: i64,
    /// Mean hours from creation to resolution of the service requests and tickets that were
    /// resolved on the last 90 days (UTC, today included), to two decimals. 0 if there were none.
    avg_resolution_time: f64,
    /// Hours of manual work that automated actions saved, to two decimals. `hours-saved` lists the
    /// actions.
    hours_saved: f64,
}

/// An activity as the dashboard shows it.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = FeedItem, examples(json!({
    "id": 5,
    "type": "meeting",
    "subtype": "kick_off",
    "description": "Agreed on the order in which customers move.",
    "timestamp": "2026-01-14T08:30:00.000Z",
    "projectId": 1,
    "organizationId": 1,
    "creator": {"id": 1, "username": "ada", "fullName": "Ada Lindqvist"}
})))]
#[serde(rename_all = "camelCase")]
pub struct FeedItemView {
    id: ActivityId,
    #[serde(rename = "type")]
    #[schema(value_type = ActivityType)]
    kind: OrOther<ActivityType>,
    subtype: Option<Slug>,
    description: Content,
    timestamp: Timestamp,
    project_id: Option<ProjectId>,
    organization_id: OrganizationId,
    creator: Option<UserRef>,
}

/// Most bytes of the service requests, and of the activities. Lambda takes answers up to 6 MB.
const MOST_BYTES: usize = 2_000_000;

/// Returns the dashboard of the caller's organization.
///
/// Contains the 20 newest service requests, tickets and activities, and metrics.
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
            reason = "no organization saves 2^53 minutes"
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
