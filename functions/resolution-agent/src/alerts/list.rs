//! `GET /api/concierge/alerts`

use shared::{
    agent::alert::{Alert, AlertFilter},
    endpoint::*,
    model::base::AlertSort,
};

/// Lists the alerts of the caller's organization.
///
/// The alert that occurred last comes first.
#[utoipa::path(get, path = "/api/concierge/alerts")]
pub async fn list_alerts(
    caller: Caller<need::ViewAgentRemediation, Listing<AlertFilter, AlertSort>>,
) -> Result<List<Shown<Alert>>, Problem> {
    let pages = caller.pages()?;
    let tenant = caller.tenant();
    let user = caller.user_id();
    let filter = &caller.query.filter;
    let alerts = caller.app.store.alerts();
    let page = alerts
        .list(tenant, user, filter, &pages.wanted)
        .await?;
    Ok(pages.answer(page, Shown::from)?)
}
