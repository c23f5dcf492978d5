//! Sign-in, and the description of the API.

mod login;
mod logout;
mod openapi;
mod session;
mod view;

use shared::{App, http, operation, utoipa_axum::router::OpenApiRouter};

/// The function's routes.
pub fn routes() -> OpenApiRouter<App> {
    http::routes(
        "auth",
        [
            operation!(login::login),
            operation!(logout::logout),
            operation!(session::session),
            operation!(openapi::openapi),
        ],
    )
}
