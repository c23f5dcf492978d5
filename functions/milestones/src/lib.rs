//! Milestones of projects.

mod create;
mod delete;
mod get;
mod history;
mod list_of_project;
mod update;
mod view;

use shared::{App, http, operation, utoipa_axum::router::OpenApiRouter};

/// The function's routes.
pub fn routes() -> OpenApiRouter<App> {
    http::routes(
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
