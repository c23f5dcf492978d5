//! The description of the API, and the page that shows it. Open to everybody: it needs no table, no
//! session and no settings.

mod file;
mod openapi;
mod page;

use axum::routing::get;
use shared::{http::Routes, operation};

/// Paths for browsers, which the document does not have: they are no part of the API.
pub const PAGES: &[&str] = &["/api/docs", "/api/docs/{file}"];

/// The function's routes.
pub fn routes() -> Routes {
    Routes::new("api-docs", [operation!(openapi::openapi)])
        .page("/api/docs", get(page::page))
        .page("/api/docs/{file}", get(file::file))
}
