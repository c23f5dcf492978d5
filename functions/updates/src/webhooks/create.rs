//! `POST /api/webhooks`

use axum::extract::State;
use shared::{
    endpoint::*,
    http::refusal::TooManyWebhooks,
    model::{base::Error, updates::WebhookCreate},
};

use crate::{
    Updates,
    webhooks::view::{WebhookWithSecret, without_deliveries},
};

/// Creates a webhook and returns its secret, this once.
///
/// Changes from now on are sent to it, signed as Standard Webhooks 1.0 describes. The URL is https
/// and leads to a public host, except on a stack that runs on one machine. An organization has at
/// most 10 webhooks (409 `too_many_webhooks`).
#[utoipa::path(post, path = "/api/webhooks")]
pub async fn create_webhook(
    State(state): State<Updates>,
    caller: Caller<need::InSession<need::ManageOrganization>>,
    Body(new): Body<WebhookCreate>,
) -> Result<Single<WebhookWithSecret>, Problem<(ConcurrentChange, TooManyWebhooks)>> {
    if !state.webhooks.may_call(&new.url)
        && let Some(fault) = new.url.not_public()
    {
        return Err(Error::invalid(fault).into());
    }
    let webhooks = state.app.store.webhooks();
    let webhook = webhooks
        .create(caller.write(), new)
        .await?;
    let secret = state.webhooks.secret(&webhook);
    let now = state.app.clock.now();
    let webhook = without_deliveries(webhook.into_stored());
    Ok(Single(WebhookWithSecret::new(&webhook, secret, now)))
}
