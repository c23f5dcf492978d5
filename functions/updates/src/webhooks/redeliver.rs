//! `POST /api/webhooks/{id}/deliveries/{deliveryId}/redeliver`

use axum::extract::State;
use shared::{
    endpoint::*,
    http::refusal::WebhookDisabled,
    model::{base::WebhookId, updates::WebhookDelivery},
};

use crate::Updates;

/// Sends a delivery again, from its first attempt on.
///
/// The message has the same id and the same body. 409 `webhook_disabled` if the webhook is
/// disabled.
#[utoipa::path(post, path = "/api/webhooks/{id}/deliveries/{deliveryId}/redeliver")]
pub async fn redeliver_webhook_delivery(
    State(state): State<Updates>,
    caller: Caller<need::InSession<need::ManageOrganization>>,
    Path((webhook, delivery)): Path<(PathId<WebhookId>, PathName<WebhookDelivery>)>,
) -> Result<Accepted, Problem<(ConcurrentChange, WebhookDisabled)>> {
    let (webhook, delivery) = (webhook.known()?, delivery.known()?);
    let webhooks = state.app.store.webhooks();
    let sent = webhooks.redeliver(caller.write(), webhook, &delivery);
    let message = sent.await?;
    state
        .queue
        .try_send(message.as_slice())
        .await;
    Ok(Accepted)
}
