//! Tasks of projects and of the organization, their comments and tags.

mod attach_tag;
mod comment;
mod count;
mod create;
mod delete;
mod delete_comment;
mod detach_tag;
mod edit_comment;
mod get;
mod history;
mod list;
mod list_comments;
mod list_of_project;
mod move_beside;
mod move_to_phase;
mod reorder;
mod update;
mod view;

use shared::{App, http::Routes, operation};

/// The function's routes.
pub fn routes() -> Routes<App> {
    Routes::new(
        "tasks",
        [
            operation!(list::list),
            operation!(create::create),
            operation!(get::get),
            operation!(reorder::reorder),
            operation!(update::update),
            operation!(delete::delete),
            operation!(move_beside::move_beside),
            operation!(move_to_phase::move_to_phase),
            operation!(list_of_project::list_of_project),
            operation!(count::count),
            operation!(list_comments::list_comments),
            operation!(comment::comment),
            operation!(edit_comment::edit_comment),
            operation!(delete_comment::delete_comment),
            operation!(attach_tag::attach_tag),
            operation!(detach_tag::detach_tag),
            operation!(history::history),
        ],
    )
}
