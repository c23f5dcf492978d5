//! Tasks of projects and of the organization.

mod create;
mod delete;
mod list;
mod list_of_project;
mod move_to_phase;
mod reorder;
mod update;
mod view;

use shared::App;
use utoipa_axum::{router::OpenApiRouter, routes};

/// The function's routes.
pub fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::default()
        // /api/tasks
        .routes(routes!(list::list, create::create))
        // /api/tasks/reorder, which wins over /api/tasks/{id}
        .routes(routes!(reorder::reorder))
        // /api/tasks/{id}
        .routes(routes!(update::update, delete::delete))
        // /api/tasks/{taskId}/phase
        .routes(routes!(move_to_phase::move_to_phase))
        // /api/projects/{projectId}/tasks
        .routes(routes!(list_of_project::list_of_project))
}
