//! `PATCH /api/concierge/alerts/{id}`

use shared::agent::alert::{Alert, AlertUpdate};
use shared::endpoint::*;
use shared::model::AlertId;

/// Acknowledges, resolves or reopens an alert.
#[utoipa::path(patch, path = "/api/concierge/alerts/{id}")]
pub async fn update_alert(
    State(app): State<App>,
    caller: Caller<need::WithAgent<need::ManageSignals>>,
    Path(id): Path<PathId<AlertId>>,
    Body(update): Body<AlertUpdate>,
) -> Result<Single<Shown<Alert>>, Problem<ConcurrentChange>> {
    let alerts = app.store.alerts();
    let alert = alerts.update(caller.pending_write(), id.known()?, &update);
    Ok(Single(alert.await?.into()))
}
