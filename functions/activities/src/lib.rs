//! Activities, their comments and tags.

mod comments;
mod create;
mod delete;
mod get;
mod list;
mod list_of_organization;
mod list_of_project;
mod tags;
mod update;

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
        ],
    )
    .and(shared::comments::endpoints::<comments::ActivityComment>())
    .and(tags::endpoints())
}
