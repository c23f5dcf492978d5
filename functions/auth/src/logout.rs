//! `POST /api/auth/logout`

use axum::{
    extract::State,
    http::{HeaderMap, StatusCode, header},
};
use shared::{
    App, Problem,
    auth::{Caller, need},
};

/// Ends the session and makes the client forget its cookie.
#[utoipa::path(
    post, path = "/api/auth/logout", operation_id = "logout", tag = "auth",
    responses((status = 204, description = "Signed out"))
)]
pub async fn logout(
    State(app): State<App>,
    caller: Caller<need::SignedIn>,
) -> Result<(StatusCode, HeaderMap), Problem> {
    app.store.sign_in().end(&caller.identity.session).await?;
    let forget = app
        .cookie
        .clear()
        .map(|cookie| (header::SET_COOKIE, cookie));
    Ok((StatusCode::NO_CONTENT, forget.into_iter().collect()))
}
