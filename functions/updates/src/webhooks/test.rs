//! `POST /api/webhooks/{id}/test`

use std::time::Duration;

use axum::{Json, extract::State};
use serde::Serialize;
use shared::{
    endpoint::*,
    model::{
        base::{Stopwatch, WebhookId, random},
        updates::DeliveryStatus,
    },
};
use targets::webhooks::SignedMessage;
use utoipa::ToSchema;

use crate::Updates;

/// The time limit of a test. The function itself has ten seconds.
const PATIENCE: Duration = Duration::from_secs(8);

/// The result of a webhook test.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct WebhookTested {
    /// `delivered` after an answer 2xx, else `failed`.
    status: DeliveryStatus,
    /// HTTP status of the answer; null without one.
    #[schema(minimum = 100, maximum = 599)]
    status_code: Option<u16>,
    /// Milliseconds until the answer.
    #[schema(minimum = 0)]
    duration_ms: u64,
    /// Problem in words; null after a success.
    error: Option<String>,
}

/// Sends the event `webhook.test` to a webhook and returns the result.
///
/// Every webhook takes it, whatever its `types`, and also while it is disabled. It waits up to
/// eight seconds for an answer, is sent once, and leaves no delivery.
#[utoipa::path(post, path = "/api/webhooks/{id}/test")]
pub async fn test_webhook(
    State(state): State<Updates>,
    caller: Caller<need::InSession<need::ManageOrganization>>,
    Path(id): Path<PathId<WebhookId>>,
) -> Result<Json<WebhookTested>, Problem<ConcurrentChange>> {
    let webhooks = state.app.store.webhooks();
    let tested = webhooks.to_test(caller.write(), id.known()?);
    let (webhook, now) = (tested.await?, state.app.clock.now());
    let message = SignedMessage::test(&format!("evt_test_{}", random::token()), now);
    let since = Stopwatch::start();
    let sent = state
        .webhooks
        .send(&webhook, &message, PATIENCE, now);
    let (status, status_code, error) = match sent.await {
        Ok(status) => (DeliveryStatus::Delivered, Some(status), None),
        Err(failed) => (DeliveryStatus::Failed, failed.status, Some(failed.problem)),
    };
    Ok(Json(WebhookTested {
        status,
        status_code,
        duration_ms: u64::try_from(since.elapsed().as_millis()).unwrap_or(u64::MAX),
        error,
    }))
}
