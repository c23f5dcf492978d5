//! `POST /api/notifications/read`

use shared::{endpoint::*, model::updates::NotificationsRead};

/// Marks the caller's notifications as read, by their ids or up to an instant.
#[utoipa::path(post, path = "/api/notifications/read")]
pub async fn read_notifications(
    caller: Caller<need::SignedIn>,
    Body(read): Body<NotificationsRead>,
) -> Result<NoContent, Problem> {
    let notifications = caller.app.store.notifications();
    let user = caller.user_id();
    notifications
        .read(caller.write(), user, &read)
        .await?;
    Ok(NoContent)
}
