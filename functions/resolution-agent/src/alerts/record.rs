//! `POST /api/concierge/alerts`

use shared::{
    agent::alert::{Alert, AlertCreate},
    endpoint::*,
};

/// Records an alert, or counts a repeated report of it.
///
/// There is one alert of a `source` and `externalId`. A further report raises its `count`; one that
/// occurred after the alert was resolved opens it again.
#[utoipa::path(post, path = "/api/concierge/alerts")]
pub async fn record_alert(
    caller: Caller<need::WithAgent<need::ManageSignals>>,
    Body(sent): Body<AlertCreate>,
) -> Result<Single<Shown<Alert>>, Problem<ConcurrentChange>> {
    let report = sent.report(caller.app.clock.now())?;
    let alerts = caller.app.store.alerts();
    let alert = alerts
        .record(caller.write(), report)
        .await?;
    Ok(Single(alert.into()))
}
