//! Milestones of projects.

mod create;
mod delete;
mod get;
mod history;
mod list_of_project;
mod update;
mod view;

use shared::{App, http::Routes, operation};

/// The function's routes.
pub fn routes() -> Routes<App> {
    Routes::new(
        "milestones",
        [
            operation!(create::create),
            operation!(get::get),
            operation!(update::update),
            operation!(delete::delete),
            operation!(list_of_project::list_of_project),
            operation!(history::history),
        ],
    )
}
