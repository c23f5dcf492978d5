//! `POST /api/webhooks/{id}/rotate-secret`

use axum::extract::State;
use shared::{endpoint::*, model::base::WebhookId};

use crate::{Updates, webhooks::view::WebhookWithSecret};

/// Begins a new secret of a webhook and returns it, this once.
///
/// For 24 hours, messages are signed with the secret before as well. A further rotation ends that
/// one at once.
#[utoipa::path(post, path = "/api/webhooks/{id}/rotate-secret")]
pub async fn rotate_webhook_secret(
    State(state): State<Updates>,
    caller: Caller<need::InSession<need::ManageOrganization>>,
    Path(id): Path<PathId<WebhookId>>,
) -> Result<Single<WebhookWithSecret>, Problem<ConcurrentChange>> {
    let webhooks = state.app.store.webhooks();
    let webhook = webhooks
        .rotate_secret(caller.write(), id.known()?)
        .await?;
    let secret = state.webhooks.secret(&webhook.webhook);
    let now = state.app.clock.now();
    Ok(Single(WebhookWithSecret::new(&webhook, secret, now)))
}
