//! The OpenAPI document, the page that shows it, and the desk. All are public; they need no table, no
//! session and no settings.

mod desk;
mod file;
mod openapi;
mod reference;

use axum::{response::Redirect, routing::get};
use shared::{http::Routes, operation};

/// Paths of both pages. They are not part of the API, so the document leaves them out.
pub const PAGES: &[&str] = &["/", "/desk/{file}", "/api", "/api/docs", "/api/docs/{file}"];

/// The function's routes.
pub fn routes() -> Routes {
    let to_reference = get(async || Redirect::permanent("/api/docs"));
    Routes::new("pages", [operation!(openapi::get_open_api)])
        .page("/", get(desk::page::page))
        .page("/desk/{file}", get(desk::file::file))
        .page("/api", to_reference.clone())
        .page("/api/", to_reference)
        .page("/api/docs", get(reference::page::page))
        .page("/api/docs/{file}", get(reference::file::file))
}
