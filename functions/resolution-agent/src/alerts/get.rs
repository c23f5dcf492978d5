//! `GET /api/concierge/alerts/{id}`

use shared::agent::alert::Alert;
use shared::endpoint::*;
use shared::model::AlertId;

/// Returns an alert.
#[utoipa::path(get, path = "/api/concierge/alerts/{id}")]
pub async fn get_alert(
    State(app): State<App>,
    caller: Caller<need::ViewAgentRemediation>,
    Path(id): Path<PathId<AlertId>>,
) -> Result<Single<Shown<Alert>>, Problem> {
    let alerts = app.store.alerts();
    let alert = alerts.get(caller.tenant(), id.known()?).await?;
    Ok(Single(alert.into()))
}
