//! The change feed, search, notifications and webhooks: what the publisher makes of changes.

mod count_notifications;
mod get_notification_preferences;
mod list_changes;
mod list_notifications;
mod read_notifications;
mod search;
mod set_notification_preferences;
mod state;
mod webhooks;

pub use state::Updates;

use shared::{http::Routes, operation};

/// The function's routes.
pub fn routes() -> Routes<Updates> {
    Routes::new(
        "updates",
        [
            operation!(list_changes::list_changes),
            operation!(search::search),
            operation!(list_notifications::list_notifications),
            operation!(count_notifications::count_notifications),
            operation!(read_notifications::read_notifications),
            operation!(get_notification_preferences::get_notification_preferences),
            operation!(set_notification_preferences::set_notification_preferences),
            operation!(webhooks::list::list),
            operation!(webhooks::create::create),
            operation!(webhooks::get::get),
            operation!(webhooks::update::update),
            operation!(webhooks::delete::delete),
            operation!(webhooks::rotate_secret::rotate_secret),
            operation!(webhooks::test::test),
            operation!(webhooks::list_deliveries::list_deliveries),
            operation!(webhooks::redeliver::redeliver),
        ],
    )
}
