//! The OpenAPI document and the page that shows it. Both are public; they need no table, no session
//! and no settings.

mod file;
mod openapi;
mod page;

use axum::routing::get;
use shared::{http::Routes, operation};

/// Paths of the reference page. They are not part of the API, so the document leaves them out.
pub const PAGES: &[&str] = &["/api/docs", "/api/docs/{file}"];

/// The function's routes.
pub fn routes() -> Routes {
    Routes::new("api-docs", [operation!(openapi::openapi)])
        .page("/api/docs", get(page::page))
        .page("/api/docs/{file}", get(file::file))
}
