//! `PATCH /api/concierge/alerts/{id}`

use shared::{
    agent::alert::{Alert, AlertUpdate},
    endpoint::*,
    model::base::AlertId,
};

/// Acknowledges, resolves or reopens an alert.
///
/// With a token whose only permission is `manage_signals`, `statusBy` becomes `report`. After a
/// user set the status, such a change is 409 `invalid_transition`.
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
