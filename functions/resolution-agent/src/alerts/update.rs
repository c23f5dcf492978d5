//! `PATCH /api/concierge/alerts/{id}`

use shared::{
    agent::alert::{Alert, AlertUpdate},
    endpoint::*,
    model::base::AlertId,
};

/// Acknowledges, resolves or reopens an alert.
///
/// A token with the only permission `manage_signals` reports: `statusBy` is `report`. It is 409
/// `invalid_transition` after a user set the status.
#[utoipa::path(patch, path = "/api/concierge/alerts/{id}")]
pub async fn update_alert(
    caller: Caller<need::WithAgent<need::ManageSignals>>,
    Path(id): Path<PathId<AlertId>>,
    Body(update): Body<AlertUpdate>,
) -> Result<Single<Shown<Alert>>, Problem<(ConcurrentChange, InvalidTransition)>> {
    let alerts = caller.app.store.alerts();
    let alert = alerts.update(caller.write(), id.known()?, &update);
    Ok(Single(alert.await?.into()))
}
