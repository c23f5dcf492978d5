//! `PATCH /api/concierge/alerts/{id}`

use shared::agent::alert::AlertUpdate;
use shared::endpoint::*;
use shared::model::AlertId;

use super::view::AlertView;

/// Acknowledges, resolves or reopens an alert.
#[utoipa::path(
    patch,
    path = "/api/concierge/alerts/{id}",
    operation_id = "updateAlert"
)]
pub async fn update(
    State(app): State<App>,
    caller: Caller<need::WithAgent<need::ManageSignals>>,
    Path(id): Path<PathId<AlertId>>,
    Body(update): Body<AlertUpdate>,
) -> Result<Single<AlertView>, Problem<ConcurrentChange>> {
    let alerts = app.store.alerts();
    let alert = alerts.update(caller.pending_write(), id.known()?, &update);
    Ok(Single(alert.await?.into()))
}
