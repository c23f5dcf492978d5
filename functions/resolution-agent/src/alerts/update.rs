//! `PATCH /api/concierge/alerts/{id}`

use shared::endpoint::*;

/// Acknowledges, resolves or reopens an alert.
///
/// A token that names only `manage_signals` reports: `statusBy` is `report`, and it does not change a status that a
/// user set (409 `invalid_transition`).
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
