//! `GET /api/concierge/alerts/{id}`

use shared::endpoint::{Alert, AlertId, Caller, Id, Path, PathId, Problem, Shown, Single, need};

/// Returns an alert.
#[utoipa::path(get, path = "/api/concierge/alerts/{id}")]
pub async fn get_alert(
    caller: Caller<need::ViewAgentRemediation>,
    Path(id): Path<PathId<AlertId>>,
) -> Result<Single<Shown<Alert>>, Problem> {
    let alerts = caller.app.store.alerts();
    let alert = alerts.get(caller.tenant(), id.known()?).await?;
    Ok(Single(alert.into()))
}
