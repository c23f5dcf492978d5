//! `GET /api/webhooks/{id}`

use shared::endpoint::*;
use shared::model::WebhookId;

use super::view::WebhookView;

/// Returns a webhook.
///
/// The secret is never shown again.
#[utoipa::path(get, path = "/api/webhooks/{id}")]
pub async fn get_webhook(
    State(app): State<App>,
    caller: Caller<need::InSession<need::ManageOrganization>>,
    Path(id): Path<PathId<WebhookId>>,
) -> Result<Single<WebhookView>, Problem> {
    let webhooks = app.store.webhooks();
    let webhook = webhooks.get(caller.tenant(), id.known()?).await?;
    Ok(Single(WebhookView::new(webhook, app.clock.now())))
}
