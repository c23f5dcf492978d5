//! The change feed, search, notifications and webhooks: what the publisher makes of changes.

mod count_notifications;
mod get_notification_preferences;
mod list_changes;
mod list_notifications;
mod open_unsubscribe;
mod read_notifications;
mod search;
mod set_notification_preferences;
mod state;
mod unsubscribe;
mod webhooks;

pub use state::Updates;

use shared::{http::Routes, operation};

pub fn routes() -> Routes<Updates> {
    let operations = [
        operation!(list_changes::list_changes),
        operation!(search::search),
        operation!(list_notifications::list_notifications),
        operation!(count_notifications::count_notifications),
        operation!(read_notifications::read_notifications),
        operation!(get_notification_preferences::get_notification_preferences),
        operation!(set_notification_preferences::set_notification_preferences),
        operation!(open_unsubscribe::open_unsubscribe),
        operation!(unsubscribe::unsubscribe),
        operation!(webhooks::list::list_webhooks),
        operation!(webhooks::create::create_webhook),
        operation!(webhooks::get::get_webhook),
        operation!(webhooks::update::update_webhook),
        operation!(webhooks::delete::delete_webhook),
        operation!(webhooks::rotate_secret::rotate_webhook_secret),
        operation!(webhooks::test::test_webhook),
        operation!(webhooks::list_deliveries::list_webhook_deliveries),
        operation!(webhooks::redeliver::redeliver_webhook_delivery),
    ];
    Routes::new("updates", operations)
}
