//! `GET /api/webhooks`

use shared::endpoint::*;
use shared::model::WebhookSort;

use super::view::WebhookView;

/// Lists the webhooks of the caller's organization.
#[utoipa::path(get, path = "/api/webhooks")]
pub async fn list_webhooks(
    State(app): State<App>,
    caller: Caller<need::InSession<need::ManageOrganization>, Listing<(), WebhookSort>>,
) -> Result<List<WebhookView>, Problem> {
    let (pages, webhooks) = (caller.pages(&app)?, app.store.webhooks());
    let page = webhooks.list(caller.tenant(), &pages.wanted).await?;
    let now = app.clock.now();
    Ok(pages.answer(page, |webhook| WebhookView::new(webhook, now))?)
}
