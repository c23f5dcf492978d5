//! `PUT /api/notifications/preferences`

use shared::{
    endpoint::*,
    model::updates::{NotificationPreferences, NotificationPreferencesSet},
};

/// Sets which kinds of notifications reach the caller, in the inbox and by mail.
///
/// Returns all kinds. A kind whose `inbox` is false makes no notification, and no mail. Older
/// notifications stay. `true` for a kind is the inbox without mail, `false` is neither.
#[utoipa::path(put, path = "/api/notifications/preferences")]
pub async fn set_notification_preferences(
    caller: Caller<need::OwnSession>,
    Body(sent): Body<NotificationPreferencesSet>,
) -> Result<Json<NotificationPreferences>, Problem> {
    let notifications = caller.app.store.notifications();
    let preferences = notifications.set_preferences(caller.write(), caller.user_id(), &sent);
    Ok(Json(preferences.await?))
}
