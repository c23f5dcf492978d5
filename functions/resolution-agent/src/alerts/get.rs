//! `GET /api/concierge/alerts/{id}`

use shared::{agent::alert::Alert, endpoint::*, model::base::AlertId};

/// Returns an alert.
#[utoipa::path(get, path = "/api/concierge/alerts/{id}")]
pub async fn get_alert(
    caller: Caller<need::ViewAgentRemediation>,
    Path(id): Path<PathId<AlertId>>,
) -> Result<Single<Shown<Alert>>, Problem> {
    let alerts = caller.app.store.alerts();
    let alert = alerts
        .get(caller.tenant(), id.known()?)
        .await?;
    Ok(Single(alert.into()))
}
