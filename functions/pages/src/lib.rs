//! The OpenAPI document, the page that shows it, the desk, the health of the service, and the
//! contact for security. All are public; they need no table and no session.

mod desk;
mod file;
mod health;
mod openapi;
mod reference;
mod security_txt;

use axum::{response::Redirect, routing::get};
use shared::{
    clock::Clock,
    config::{self, Environment},
    http::Routes,
    operation,
};

/// Paths of both pages. They are not part of the API, so the document leaves them out.
pub const PAGES: &[&str] = &[
    "/",
    "/desk/{file}",
    "/api",
    "/api/docs",
    "/api/docs/{file}",
    "/.well-known/security.txt",
];

/// The function's routes.
pub fn routes(environment: &Environment) -> Routes {
    let contact = config::security_contact(environment);
    let to_reference = get(async || Redirect::permanent("/api/docs"));
    let security_txt = get(async move || security_txt::page(contact, &Clock::system()));
    let operations = [
        operation!(openapi::get_open_api),
        operation!(health::get_health),
    ];
    Routes::new("pages", operations)
        .page("/", get(desk::page))
        .page("/desk/{file}", get(desk::file))
        .page("/api", to_reference.clone())
        .page("/api/", to_reference)
        .page("/api/docs", get(reference::page))
        .page("/api/docs/{file}", get(reference::file))
        .page("/.well-known/security.txt", security_txt)
}
