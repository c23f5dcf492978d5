//! `DELETE /api/webhooks/{id}`

use shared::{endpoint::*, model::base::WebhookId};

/// Deletes a webhook and its deliveries.
///
/// A delivery that is just being sent may still arrive.
#[utoipa::path(delete, path = "/api/webhooks/{id}")]
pub async fn delete_webhook(
    caller: Caller<need::InSession<need::ManageOrganization>>,
    Path(id): Path<PathId<WebhookId>>,
) -> Result<NoContent, Problem<ConcurrentChange>> {
    let webhooks = caller.app.store.webhooks();
    webhooks
        .delete(caller.write(), id.known()?)
        .await?;
    Ok(NoContent)
}
