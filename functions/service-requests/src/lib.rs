//! Service requests and their comments.

mod comment;
mod create;
mod delete;
mod list_comments;

use shared::App;
use utoipa_axum::{router::OpenApiRouter, routes};

/// The function's routes.
pub fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::default()
        // /api/managed-services/request
        .routes(routes!(create::create))
        // /api/service-requests/{id}
        .routes(routes!(delete::delete))
        // /api/service-requests/{serviceRequestId}/comments
        .routes(routes!(list_comments::list_comments, comment::comment))
}
