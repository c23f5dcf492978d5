//! `GET /api/notifications/preferences`

use shared::{endpoint::*, model::updates::NotificationPreferences};

/// Returns the kinds of notifications that the caller gets.
///
/// All are on at first.
#[utoipa::path(get, path = "/api/notifications/preferences")]
pub async fn get_notification_preferences(
    caller: Caller<need::SignedIn>,
) -> Result<Json<NotificationPreferences>, Problem> {
    let notifications = caller.app.store.notifications();
    let preferences = notifications.preferences(caller.tenant(), caller.user_id());
    Ok(Json(preferences.await?))
}
