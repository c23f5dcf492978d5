//! Activities, their comments and tags.

mod access;
mod attach_tag;
mod comment;
mod create;
mod detach_tag;
mod get;
mod list;
mod list_comments;
mod list_of_organization;
mod list_of_project;
mod view;

use shared::App;
use utoipa_axum::{router::OpenApiRouter, routes};

/// The function's routes.
pub fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::default()
        // /api/activities
        .routes(routes!(list::list, create::create))
        // /api/activities/{id}
        .routes(routes!(get::get))
        // /api/projects/{projectId}/activities
        .routes(routes!(list_of_project::list_of_project))
        // /api/organizations/{organizationId}/activities
        .routes(routes!(list_of_organization::list_of_organization))
        // /api/activities/{activityId}/comments
        .routes(routes!(list_comments::list_comments, comment::comment))
        // /api/activities/{activityId}/tags
        .routes(routes!(attach_tag::attach_tag))
        // /api/activities/{activityId}/tags/{tagId}
        .routes(routes!(detach_tag::detach_tag))
}
