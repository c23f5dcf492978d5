//! Service requests and their comments.

mod comment;
mod create;
mod delete;
mod list_comments;

use shared::{App, http, operation, utoipa_axum::router::OpenApiRouter};

/// The function's routes.
pub fn routes() -> OpenApiRouter<App> {
    http::routes(
        "service-requests",
        [
            operation!(create::create),
            operation!(delete::delete),
            operation!(list_comments::list_comments),
            operation!(comment::comment),
        ],
    )
}
