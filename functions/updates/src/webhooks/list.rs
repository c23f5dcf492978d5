//! `GET /api/webhooks`

use shared::{
    endpoint::*,
    model::{base::Listing, updates::WebhookSort},
};

use crate::webhooks::view::WebhookView;

/// Lists the webhooks of the caller's organization.
#[utoipa::path(get, path = "/api/webhooks")]
pub async fn list_webhooks(
    caller: Caller<need::InSession<need::ManageOrganization>, Listing<(), WebhookSort>>,
) -> Result<List<WebhookView>, Problem> {
    let (pages, webhooks) = (caller.pages()?, caller.app.store.webhooks());
    let page = webhooks
        .list(caller.tenant(), &pages.wanted)
        .await?;
    let now = caller.app.clock.now();
    Ok(pages.answer(page, |webhook| WebhookView::of(&webhook, now))?)
}
