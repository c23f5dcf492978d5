//! Activities, their comments and tags.

mod attach_tag;
mod comment;
mod create;
mod delete;
mod delete_comment;
mod detach_tag;
mod edit_comment;
mod get;
mod list;
mod list_comments;
mod list_of_organization;
mod list_of_project;
mod update;
mod view;

use shared::{App, http::Routes, operation};

/// The function's routes.
pub fn routes() -> Routes<App> {
    Routes::new(
        "activities",
        [
            operation!(list::list),
            operation!(create::create),
            operation!(get::get),
            operation!(update::update),
            operation!(delete::delete),
            operation!(list_of_project::list_of_project),
            operation!(list_of_organization::list_of_organization),
            operation!(list_comments::list_comments),
            operation!(comment::comment),
            operation!(edit_comment::edit_comment),
            operation!(delete_comment::delete_comment),
            operation!(attach_tag::attach_tag),
            operation!(detach_tag::detach_tag),
        ],
    )
}
