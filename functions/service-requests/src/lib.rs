//! Service requests and their comments.

mod comments;
mod create;
mod delete;
mod get;
mod history;
mod list;
mod update;

use shared::{App, http::Routes, operation};

/// The function's routes.
pub fn routes() -> Routes<App> {
    Routes::new(
        "service-requests",
        [
            operation!(create::create),
            operation!(list::list),
            operation!(get::get),
            operation!(update::update),
            operation!(delete::delete),
            operation!(history::history),
        ],
    )
    .and(shared::comments::endpoints::<comments::ServiceRequestComment>())
}
