//! `GET /api/webhooks/{id}/deliveries`

use shared::{
    endpoint::*,
    model::{
        base::WebhookId,
        updates::{WebhookDeliveryFilter, WebhookDeliverySort},
    },
};

use crate::webhooks::view::WebhookDeliveryView;

/// Lists the deliveries of a webhook, the newest change first.
///
/// Deliveries are kept for 7 days.
#[utoipa::path(get, path = "/api/webhooks/{id}/deliveries")]
pub async fn list_webhook_deliveries(
    caller: Caller<
        need::InSession<need::ManageOrganization>,
        Listing<WebhookDeliveryFilter, WebhookDeliverySort>,
    >,
    Path(id): Path<PathId<WebhookId>>,
) -> Result<List<WebhookDeliveryView>, Problem> {
    let (pages, filter) = (caller.pages()?, &caller.query.filter);
    let tenant = caller.tenant();
    let user = caller.user_id();
    let webhooks = caller.app.store.webhooks();
    let page = webhooks.deliveries(tenant, id.known()?, user, filter, &pages.wanted);
    Ok(pages.answer(page.await?, |delivery| {
        WebhookDeliveryView::of(delivery.record)
    })?)
}
