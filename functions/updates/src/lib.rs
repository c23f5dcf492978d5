//! Updates for clients: the change feed.

mod list_changes;
mod view;

use shared::{App, http::Routes, operation};

/// The function's routes.
pub fn routes() -> Routes<App> {
    Routes::new("updates", [operation!(list_changes::list_changes)])
}
