//! `DELETE /api/auth/sessions/{id}`

use shared::{endpoint::*, model::people::Session};

/// Ends one of the caller's sessions by id, also this one.
///
/// Tokens stay valid.
#[utoipa::path(delete, path = "/api/auth/sessions/{id}")]
pub async fn end_session(
    caller: Caller<need::OwnSession>,
    Path(id): Path<PathName<Session>>,
) -> Result<NoContent, Problem<ConcurrentChange>> {
    let id = id.known()?;
    let sign_in = caller.app.store.sign_in();
    let ended = sign_in.end_one(caller.write(), caller.user_id(), &id);
    ended.await?;
    Ok(NoContent)
}
