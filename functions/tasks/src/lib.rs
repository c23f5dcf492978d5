//! Tasks of projects and of the organization, their comments and tags.

mod comments;
mod count;
mod create;
mod delete;
mod get;
mod history;
mod list;
mod list_of_project;
mod move_beside;
mod move_to_phase;
mod reorder;
mod tags;
mod update;

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
            operation!(history::history),
        ],
    )
    .and(shared::comments::endpoints::<comments::TaskComment>())
    .and(tags::endpoints())
}
