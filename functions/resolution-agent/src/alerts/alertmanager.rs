//! `POST /api/concierge/alerts/alertmanager`

use shared::{
    agent::alert::{Alert, AlertReport, AlertStatus, AlertmanagerWebhook},
    endpoint::*,
    model::base::{AlertId, Code, ExternalId},
    store::bounded,
};

/// Table units that a message may take: thirty for each of its 500 alerts.
const MOST_UNITS: f64 = 15_000.0;

/// Results for the alerts that Alertmanager posted.
#[derive(Debug, Serialize, ToSchema)]
pub struct AlertsReceived {
    /// Alerts that were recorded or counted.
    recorded: Vec<AlertReceived>,
    /// Elements that are no alerts, and alerts after the first 500.
    rejected: Vec<AlertRejected>,
}

view! {
    /// An alert that was recorded or counted.
    pub struct AlertReceived of alert(index: usize, Stored { record: alert, .. }: Stored<Alert>) {
        /// Index in the posted list, from 0.
        index: usize = index,
        id: AlertId,
        external_id: ExternalId,
        status: AlertStatus,
        /// Number of reports.
        count: i64,
    }
}

/// An alert that is not recorded.
#[derive(Debug, Serialize, ToSchema)]
pub struct AlertRejected {
    /// Index in the posted list, from 0.
    index: usize,
    errors: Vec<Fault>,
}

/// Records the alerts that Prometheus Alertmanager posts to a webhook.
///
/// Takes version 4 of Alertmanager's format. An alert with the status `resolved` resolves the
/// recorded one. The answer is 200 even if some or all alerts are rejected, since Alertmanager
/// would send rejected ones again for as long as they fire. `rejected` lists them with their
/// errors. The first 500 alerts of a message are recorded.
#[utoipa::path(post, path = "/api/concierge/alerts/alertmanager")]
pub async fn receive_alertmanager(
    caller: Caller<need::WithAgent<need::ManageSignals>>,
    Body(webhook): Body<AlertmanagerWebhook>,
) -> Result<Json<AlertsReceived>, Problem> {
    let (reports, rejected) = webhook.reports(caller.app.clock.now());
    let (places, reports): (Vec<usize>, Vec<AlertReport>) = reports.into_iter().unzip();
    let alerts = caller.app.store.alerts();
    let recorded = alerts.record_all(caller.write(), &reports);
    let recorded = bounded(MOST_UNITS, recorded).await;
    let recorded = recorded.map_err(worth_another_try)?;
    if !rejected.is_empty() {
        let organization = caller.tenant().get();
        let rejected = rejected.len();
        tracing::warn!(
            organizationId = organization,
            rejected,
            "alerts of Alertmanager were rejected"
        );
    }
    let recorded = places.into_iter().zip(recorded);
    let recorded = recorded.map(|(index, alert)| AlertReceived::of(index, alert));
    let rejected = rejected.into_iter();
    let rejected = rejected.map(|(index, errors)| AlertRejected { index, errors });
    Ok(Json(AlertsReceived {
        recorded: recorded.collect(),
        rejected: rejected.collect(),
    }))
}

/// Turns 409 `concurrent_change` into 503. Alertmanager does not repeat what is answered 4xx, so a
/// 409 would lose the alerts.
fn worth_another_try(error: Error) -> Error {
    match error {
        Error::Conflict {
            code: Code::ConcurrentChange,
            detail,
        } => Error::Unavailable {
            what: "the table",
            source: detail.into(),
        },
        other => other,
    }
}
