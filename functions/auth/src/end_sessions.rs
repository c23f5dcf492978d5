//! `DELETE /api/auth/sessions`

use shared::endpoint::*;

/// Ends all of the caller's sessions except this one.
///
/// Tokens stay valid.
#[utoipa::path(delete, path = "/api/auth/sessions")]
pub async fn end_sessions(
    caller: Caller<need::OwnSession>,
) -> Result<NoContent, Problem<ConcurrentChange>> {
    let identity = caller.identity().await?;
    let sign_in = caller.app.store.sign_in();
    let session = identity.session()?;
    sign_in
        .end_others(session, &identity.user)
        .await?;
    Ok(NoContent)
}
