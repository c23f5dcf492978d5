//! Sign-in.

mod login;
mod logout;
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
        ],
    )
}
