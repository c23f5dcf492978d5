//! `GET /api/webhooks/{id}/deliveries`

use shared::endpoint::*;
use shared::model::{WebhookDelivery, WebhookDeliveryFilter, WebhookDeliverySort, WebhookId};

/// Lists the deliveries of a webhook, the newest change first.
///
/// Deliveries are kept for 7 days.
#[utoipa::path(get, path = "/api/webhooks/{id}/deliveries")]
pub async fn list_webhook_deliveries(
    State(app): State<App>,
    caller: Caller<
        need::InSession<need::ManageOrganization>,
        Listing<WebhookDeliveryFilter, WebhookDeliverySort>,
    >,
    Path(id): Path<PathId<WebhookId>>,
) -> Result<List<Shown<WebhookDelivery>>, Problem> {
    let (pages, filter) = (caller.pages(&app)?, &caller.query.filter);
    let (tenant, user) = (caller.tenant(), caller.user_id());
    let webhooks = app.store.webhooks();
    let page = webhooks.deliveries(tenant, id.known()?, user, filter, &pages.wanted);
    Ok(pages.answer(page.await?, Shown::from)?)
}
