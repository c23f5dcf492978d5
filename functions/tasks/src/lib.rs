//! Tasks of projects and of the organization.

mod create;
mod delete;
mod get;
mod list;
mod list_of_project;
mod move_to_phase;
mod reorder;
mod update;
mod view;

use shared::{App, http, operation, utoipa_axum::router::OpenApiRouter};

/// The function's routes.
pub fn routes() -> OpenApiRouter<App> {
    http::routes(
        "tasks",
        [
            operation!(list::list),
            operation!(create::create),
            operation!(get::get),
            operation!(reorder::reorder),
            operation!(update::update),
            operation!(delete::delete),
            operation!(move_to_phase::move_to_phase),
            operation!(list_of_project::list_of_project),
        ],
    )
}
