//! `PUT /api/notifications/preferences`

use shared::endpoint::*;
use shared::model::{NotificationPreferences, NotificationPreferencesSet};

/// Switches kinds of notifications on or off for the caller.
///
/// Returns all kinds. A kind that is off makes no notification. Older notifications stay.
#[utoipa::path(put, path = "/api/notifications/preferences")]
pub async fn set_notification_preferences(
    State(app): State<App>,
    caller: Caller<need::Session>,
    Body(sent): Body<NotificationPreferencesSet>,
) -> Result<Json<NotificationPreferences>, Problem> {
    let notifications = app.store.notifications();
    let user = caller.user_id();
    let preferences = notifications.set_preferences(caller.pending_write(), user, &sent);
    Ok(Json(preferences.await?))
}
