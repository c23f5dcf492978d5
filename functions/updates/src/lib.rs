//! Updates for clients: the change feed, and notifications.

mod count_notifications;
mod get_notification_preferences;
mod list_changes;
mod list_notifications;
mod read_notifications;
mod set_notification_preferences;
mod view;

use shared::{App, http::Routes, operation};

/// The function's routes.
pub fn routes() -> Routes<App> {
    Routes::new(
        "updates",
        [
            operation!(list_changes::list_changes),
            operation!(list_notifications::list_notifications),
            operation!(count_notifications::count_notifications),
            operation!(read_notifications::read_notifications),
            operation!(get_notification_preferences::get_notification_preferences),
            operation!(set_notification_preferences::set_notification_preferences),
        ],
    )
}
