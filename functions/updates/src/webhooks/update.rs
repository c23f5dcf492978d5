//! `PATCH /api/webhooks/{id}`

use axum::extract::State;
use shared::{
    endpoint::*,
    input::PatchField,
    model::{
        base::{Error, WebhookId},
        updates::WebhookUpdate,
    },
};

use crate::{Updates, webhooks::view::WebhookView};

/// Updates a webhook.
///
/// `enabled: true` also enables a webhook that the service disabled. Changes that were made
/// meanwhile are not delivered; the change feed has them.
#[utoipa::path(patch, path = "/api/webhooks/{id}")]
pub async fn update_webhook(
    State(state): State<Updates>,
    caller: Caller<need::InSession<need::ManageOrganization>>,
    Path(id): Path<PathId<WebhookId>>,
    Body(update): Body<WebhookUpdate>,
) -> Result<Single<WebhookView>, Problem<ConcurrentChange>> {
    if let PatchField::Set(url) = &update.url
        && !state.webhooks.may_call(url)
        && let Some(fault) = url.not_public()
    {
        return Err(Error::invalid(fault).into());
    }
    let webhooks = state.app.store.webhooks();
    let webhook = webhooks.update(caller.write(), id.known()?, update);
    let (webhook, now) = (webhook.await?, state.app.clock.now());
    Ok(Single(WebhookView::of(&webhook, now)))
}
