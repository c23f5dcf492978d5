//! `GET /api/auth/sessions`

use shared::{
    endpoint::*,
    model::{
        base::SessionSort,
        people::{Session, SignInMethod},
    },
};

view! {
    /// A session of a user.
    pub struct OpenSession of session(session: &Session, is_current: bool) {
        /// Id of the session; it is not its secret.
        id: String = session.public_id(),
        created_at: Timestamp,
        /// Instant of its last use, up to 2.4 hours too early.
        last_used_at: Timestamp = session.touched_at,
        /// Instant at which it ends unless a request extends it.
        expires_at: Timestamp = session.ends_at(),
        method: SignInMethod,
        /// Instant at which the user showed credentials. A provider may have asked for them before
        /// the session began.
        signed_in_at: Timestamp = session.signed_in_at(),
        /// True for the session of this request.
        current: bool = is_current,
        /// Client address at sign-in.
        address: Option<String> = session.address.clone(),
        /// `User-Agent` header at sign-in.
        user_agent: Option<String> = session.user_agent.clone(),
    }
}

/// Lists the caller's sessions, newest first.
#[utoipa::path(get, path = "/api/auth/sessions")]
pub async fn list_sessions(
    caller: Caller<need::OwnSession, Listing<(), SessionSort>>,
) -> Result<List<OpenSession>, Problem> {
    let pages = caller.own_pages()?;
    let sign_in = caller.app.store.sign_in();
    let sessions = sign_in.sessions(caller.tenant(), caller.user_id(), &pages.wanted);
    let (identity, sessions) = tokio::try_join!(caller.identity(), sessions)?;
    let (current, now) = (identity.session()?, caller.app.clock.now());
    let open = sessions.filter_map(|session| {
        session
            .holds(&identity.user, now)
            .then_some(session)
    });
    Ok(pages.answer(open, |session| OpenSession::beside(&session, current))?)
}

impl OpenSession {
    pub(crate) fn beside(session: &Session, current: &Session) -> Self {
        let is_current = session.sid_hash == current.sid_hash;
        // This request may just have extended its own.
        Self::of(if is_current { current } else { session }, is_current)
    }
}
