//! Service requests and their comments.

mod comment;
mod create;
mod delete;
mod delete_comment;
mod edit_comment;
mod get;
mod history;
mod list;
mod list_comments;
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
            operation!(list_comments::list_comments),
            operation!(comment::comment),
            operation!(edit_comment::edit_comment),
            operation!(delete_comment::delete_comment),
            operation!(history::history),
        ],
    )
}
