//! `GET /api/users/{id}/sessions`

use shared::{
    endpoint::*,
    model::base::{Listing, SessionSort, UserId},
};

use crate::list_sessions::OpenSession;

/// Lists the sessions of a user by id, newest first.
///
/// The caller must hold all that the user may do (403 `permission_denied`).
#[utoipa::path(get, path = "/api/users/{id}/sessions")]
pub async fn list_user_sessions(
    caller: Caller<need::InSession<need::ManageUsers>, Listing<(), SessionSort>>,
    Path(id): Path<PathId<UserId>>,
) -> Result<List<OpenSession>, Problem> {
    let (id, pages) = (id.known()?, caller.pages()?);
    let by = async { Ok(caller.identity().await?.held()) };
    let sign_in = caller.app.store.sign_in();
    let sessions = sign_in.sessions_of(caller.tenant(), id, by, &pages.wanted);
    let (owner, sessions) = sessions.await?;
    let (identity, now) = (caller.identity().await?, caller.app.clock.now());
    let open = sessions.filter_map(|session| {
        session
            .holds(&owner, now)
            .then_some(session)
    });
    let current = identity.session()?;
    Ok(pages.answer(open, |session| OpenSession::beside(&session, current))?)
}
