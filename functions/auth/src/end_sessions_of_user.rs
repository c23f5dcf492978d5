//! `DELETE /api/users/{id}/sessions`

use shared::endpoint::*;

/// Ends all sessions of a user.
///
/// Tokens stay valid. The caller must hold all that the user may do (403 `permission_denied`).
#[utoipa::path(delete, path = "/api/users/{id}/sessions")]
pub async fn end_user_sessions(
    caller: Caller<need::InSession<need::ManageUsers>>,
    Path(id): Path<PathId<UserId>>,
) -> Result<NoContent, Problem<ConcurrentChange>> {
    let id = id.known()?;
    let by = async || Ok(caller.identity().await?.held());
    let sign_in = caller.app.store.sign_in();
    sign_in
        .end_all_of(caller.write(), by, id)
        .await?;
    Ok(NoContent)
}
