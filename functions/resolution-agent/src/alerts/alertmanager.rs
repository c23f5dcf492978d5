//! `POST /api/concierge/alerts/alertmanager`

use shared::agent::alert::{Alert, AlertReport, AlertStatus, AlertmanagerWebhook};
use shared::endpoint::*;
use shared::model::{AlertId, Code, ExternalId, Fault};
use shared::store::Stored;

/// Results for the alerts that Alertmanager posted.
#[derive(Debug, Serialize, ToSchema)]
pub struct AlertsReceived {
    /// Alerts that were recorded or counted.
    recorded: Vec<AlertReceived>,
    /// Alerts that cannot be recorded; sending them again does not help.
    rejected: Vec<AlertRejected>,
}

/// An alert that was recorded or counted.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AlertReceived {
    /// Index in the posted list, from 0.
    index: usize,
    id: AlertId,
    external_id: ExternalId,
    status: AlertStatus,
    /// Number of reports.
    count: i64,
}

/// An alert that cannot be recorded.
#[derive(Debug, Serialize, ToSchema)]
pub struct AlertRejected {
    /// Index in the posted list, from 0.
    index: usize,
    errors: Vec<Fault>,
}

impl AlertReceived {
    fn of(index: usize, alert: Stored<Alert>) -> Self {
        let Stored { record: alert, .. } = alert;
        Self {
            index,
            id: alert.id,
            external_id: alert.external_id,
            status: alert.status,
            count: alert.count,
        }
    }
}

/// Records the alerts that Prometheus Alertmanager posts to a webhook.
///
/// Takes version 4 of Alertmanager's format. An alert with the status `resolved` resolves the
/// recorded one. The answer is 200 even if some or all alerts are rejected, since Alertmanager
/// would send rejected ones again for as long as they fire. `rejected` lists them with their
/// errors.
#[utoipa::path(post, path = "/api/concierge/alerts/alertmanager")]
pub async fn receive_alertmanager(
    State(app): State<App>,
    caller: Caller<need::WithAgent<need::ManageSignals>>,
    Body(webhook): Body<AlertmanagerWebhook>,
) -> Result<Json<AlertsReceived>, Problem> {
    let (reports, rejected) = webhook.reports(app.clock.now());
    let (places, reports): (Vec<usize>, Vec<AlertReport>) = reports.into_iter().unzip();
    let alerts = app.store.alerts();
    let recorded = alerts.record_all(caller.pending_write(), &reports).await;
    let recorded = recorded.map_err(worth_another_try)?;
    if !rejected.is_empty() {
        let (organization_id, rejected) = (caller.tenant(), rejected.len());
        tracing::warn!(%organization_id, rejected, "alerts of Alertmanager were rejected");
    }
    let recorded = places.into_iter().zip(recorded);
    let rejected = rejected.into_iter();
    Ok(Json(AlertsReceived {
        recorded: recorded
            .map(|(at, alert)| AlertReceived::of(at, alert))
            .collect(),
        rejected: rejected
            .map(|(index, errors)| AlertRejected { index, errors })
            .collect(),
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
