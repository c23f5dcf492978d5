//! `POST /api/auth/logout`

use shared::endpoint::*;

/// Ends the session and clears its cookie.
#[utoipa::path(post, path = "/api/auth/logout")]
pub async fn logout(
    State(app): State<App>,
    caller: Caller<need::Session>,
) -> Result<ForgetCookie, Problem> {
    let identity = caller.identity().await?;
    let sign_in = app.store.sign_in();
    sign_in
        .end(caller.pending_write(), identity.session()?)
        .await?;
    Ok(ForgetCookie(app.cookie.clear()?))
}
