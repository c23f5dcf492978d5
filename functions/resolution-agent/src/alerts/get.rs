//! `GET /api/concierge/alerts/{id}`

use shared::endpoint::*;
use shared::model::AlertId;

use super::view::AlertView;

/// Returns an alert.
#[utoipa::path(get, path = "/api/concierge/alerts/{id}", operation_id = "getAlert")]
pub async fn get(
    State(app): State<App>,
    caller: Caller<need::ViewAgentRemediation>,
    Path(id): Path<PathId<AlertId>>,
) -> Result<Single<AlertView>, Problem> {
    let alerts = app.store.alerts();
    let alert = alerts.get(caller.tenant(), id.known()?).await?;
    Ok(Single(alert.into()))
}
