//! `GET /api/auth/sessions`

use shared::endpoint::*;

/// A session of a user.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OpenSession {
    /// Id of the session; it is not its secret.
    #[schema(examples("9f86d081884c7d65"))]
    id: String,
    created_at: Timestamp,
    /// Instant of its last use, up to 2.4 hours too early.
    last_used_at: Timestamp,
    /// Instant at which it ends unless a request extends it.
    expires_at: Timestamp,
    method: SignInMethod,
    /// Instant of the sign-in.
    signed_in_at: Timestamp,
    /// True for the session of this request.
    current: bool,
    /// Client address at sign-in.
    #[schema(examples("203.0.113.7"))]
    address: Option<String>,
    /// `User-Agent` header at sign-in.
    #[schema(examples("curl/8.5.0"))]
    user_agent: Option<String>,
}

/// Lists the caller's sessions, newest first.
#[utoipa::path(get, path = "/api/auth/sessions")]
pub async fn list_sessions(
    caller: Caller<need::Session, Listing<(), SessionSort>>,
) -> Result<List<OpenSession>, Problem> {
    let pages = caller.own_pages()?;
    let sign_in = caller.app.store.sign_in();
    let sessions = sign_in.sessions(caller.tenant(), caller.user_id(), &pages.wanted);
    let (identity, sessions) = tokio::try_join!(caller.identity(), sessions)?;
    let (current, now) = (identity.session()?, caller.app.clock.now());
    let open = sessions.filter_map(|session| {
        let holds = session.holds(&identity.user, now);
        holds.then_some(session)
    });
    Ok(pages.answer(open, |session| OpenSession::of(&session, current))?)
}

impl OpenSession {
    pub(crate) fn of(session: &Session, current: &Session) -> Self {
        let is_current = session.sid_hash == current.sid_hash;
        // This request may just have extended its own.
        let session = if is_current { current } else { session };
        Self {
            id: session.public_id(),
            created_at: session.created_at,
            last_used_at: session.touched_at,
            expires_at: session.ends_at(),
            method: session.method,
            signed_in_at: session.created_at,
            current: is_current,
            address: session.address.clone(),
            user_agent: session.user_agent.clone(),
        }
    }
}
