//! `GET /api/webhooks/{id}`

use shared::{endpoint::*, model::base::WebhookId};

use crate::webhooks::view::WebhookView;

/// Returns a webhook.
///
/// The secret is never shown again.
#[utoipa::path(get, path = "/api/webhooks/{id}")]
pub async fn get_webhook(
    caller: Caller<need::InSession<need::ManageOrganization>>,
    Path(id): Path<PathId<WebhookId>>,
) -> Result<Single<WebhookView>, Problem> {
    let webhooks = caller.app.store.webhooks();
    let webhook = webhooks
        .get(caller.tenant(), id.known()?)
        .await?;
    Ok(Single(WebhookView::of(&webhook, caller.app.clock.now())))
}
