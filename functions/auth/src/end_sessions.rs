//! `DELETE /api/auth/sessions`

use shared::endpoint::*;

/// Ends all of the caller's sessions except this one.
///
/// Tokens stay valid.
#[utoipa::path(delete, path = "/api/auth/sessions")]
pub async fn end_sessions(
    State(app): State<App>,
    caller: Caller<need::Session>,
) -> Result<NoContent, Problem<ConcurrentChange>> {
    let identity = caller.identity().await?;
    let sign_in = app.store.sign_in();
    sign_in
        .end_others(identity.session()?, &identity.user)
        .await?;
    Ok(NoContent)
}
