//! Milestones of projects.

mod create;
mod delete;
mod get;
mod list_of_project;
mod update;
mod view;

use shared::App;
use utoipa_axum::{router::OpenApiRouter, routes};

/// The function's routes.
pub fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::default()
        // /api/milestones
        .routes(routes!(create::create))
        // /api/milestones/{id}
        .routes(routes!(get::get, update::update, delete::delete))
        // /api/projects/{projectId}/milestones
        .routes(routes!(list_of_project::list_of_project))
}
