//! `GET /api/concierge/alerts`

use shared::agent::alert::{Alert, AlertFilter};
use shared::endpoint::*;
use shared::model::AlertSort;

/// Lists the alerts of the caller's organization.
///
/// The alert that occurred last comes first.
#[utoipa::path(get, path = "/api/concierge/alerts")]
pub async fn list_alerts(
    State(app): State<App>,
    caller: Caller<need::ViewAgentRemediation, Listing<AlertFilter, AlertSort>>,
) -> Result<List<Shown<Alert>>, Problem> {
    let pages = caller.pages(&app)?;
    let (tenant, user) = (caller.tenant(), caller.user_id());
    let filter = &caller.query.filter;
    let alerts = app.store.alerts();
    let page = alerts.list(tenant, user, filter, &pages.wanted).await?;
    Ok(pages.answer(page, Shown::from)?)
}
