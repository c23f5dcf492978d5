//! `POST /api/auth/logout`

use shared::{auth::ForgetCookie, endpoint::*};

/// Ends the session and clears its cookie.
#[utoipa::path(post, path = "/api/auth/logout")]
pub async fn logout(caller: Caller<need::OwnSession>) -> Result<ForgetCookie, Problem> {
    let identity = caller.identity().await?;
    let sign_in = caller.app.store.sign_in();
    sign_in
        .end(caller.write(), identity.session()?)
        .await?;
    Ok(ForgetCookie(caller.app.cookie.clear()?))
}
