//! Updates for clients: the change feed, and webhooks.

mod list_changes;
mod state;
mod view;
mod webhooks;

pub use state::Updates;

use shared::{http::Routes, operation};

/// The function's routes.
pub fn routes() -> Routes<Updates> {
    Routes::new(
        "updates",
        [
            operation!(list_changes::list_changes),
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
