//! `GET /api/notifications/count`

use shared::endpoint::*;

const MOST: usize = 100;

/// The number of the caller's unread notifications.
#[derive(Serialize, ToSchema)]
pub struct NotificationCount {
    /// Counted up to 100.
    #[schema(maximum = 100)]
    unread: usize,
}

/// Counts the caller's unread notifications, up to 100.
#[utoipa::path(get, path = "/api/notifications/count")]
pub async fn count_notifications(
    caller: Caller<need::SignedIn>,
) -> Result<Json<NotificationCount>, Problem> {
    let notifications = caller.app.store.notifications();
    let counted = notifications.unread(caller.tenant(), caller.user_id(), MOST);
    let unread = counted.await?;
    Ok(Json(NotificationCount { unread }))
}
