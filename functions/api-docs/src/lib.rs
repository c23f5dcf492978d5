//! The description of the API, and the page that shows it. Open to everybody: it needs no table, no
//! session and no settings.

mod file;
mod openapi;
mod page;

use axum::routing::get;
use shared::{http, operation, utoipa_axum::router::OpenApiRouter};

/// Paths for browsers, which the document does not have: they are no part of the API.
pub const PAGES: &[&str] = &["/api/docs", "/api/docs/{file}"];

/// The function's routes.
pub fn routes() -> OpenApiRouter {
    http::routes("api-docs", [operation!(openapi::openapi)])
        .route("/api/docs", get(page::page))
        .route("/api/docs/{file}", get(file::file))
}
