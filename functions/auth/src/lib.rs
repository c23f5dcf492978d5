//! Sign-in, and the description of the API.

mod login;
mod logout;
mod openapi;
mod session;
mod view;

use shared::App;
use utoipa_axum::{router::OpenApiRouter, routes};

/// The function's routes.
pub fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::default()
        // /api/auth/login
        .routes(routes!(login::login))
        // /api/auth/logout
        .routes(routes!(logout::logout))
        // /api/auth/session
        .routes(routes!(session::session))
        // /api/openapi.json
        .routes(routes!(openapi::openapi))
}
