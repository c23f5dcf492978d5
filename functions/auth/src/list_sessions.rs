//! `GET /api/auth/sessions`

use axum::extract::State;
use serde::Serialize;
use shared::{
    App, Problem,
    auth::{Caller, need},
    http::List,
    model::{Listing, Session, SessionSort, Timestamp},
};
use utoipa::ToSchema;

/// Where the caller is signed in.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OpenSession {
    /// Names the session; nobody signs in with it.
    #[schema(examples("9f86d081884c7d65"))]
    id: String,
    /// When it began.
    created_at: Timestamp,
    /// When it was last used, up to 2.4 hours earlier than it was.
    last_used_at: Timestamp,
    /// When it ends, unless a request extends it before.
    expires_at: Timestamp,
    /// Whether this request is of it.
    current: bool,
    /// The address that it was begun from.
    #[schema(examples("203.0.113.7"))]
    address: Option<String>,
    /// What the client that began it calls itself.
    #[schema(examples("curl/8.5.0"))]
    user_agent: Option<String>,
}

/// Lists where the caller is signed in, newest first.
#[utoipa::path(get, path = "/api/auth/sessions", operation_id = "listSessions")]
pub async fn list_sessions(
    State(app): State<App>,
    caller: Caller<need::Session, Listing<(), SessionSort>>,
) -> Result<List<OpenSession>, Problem> {
    let pages = caller.own_pages(&app)?;
    let sign_in = app.store.sign_in();
    let sessions = sign_in.sessions(caller.tenant(), caller.user_id(), &pages.wanted);
    let (identity, sessions) = tokio::try_join!(caller.identity(), sessions)?;
    let (current, now) = (identity.session()?, app.clock.now());
    let open = sessions.filter_map(|session| {
        let holds = session.holds(&identity.user, now);
        holds.then_some(session)
    });
    Ok(pages.answer(open, |session| view(&session, current))?)
}

fn view(session: &Session, current: &Session) -> OpenSession {
    let is_current = session.sid_hash == current.sid_hash;
    // This request may just have extended its own.
    let session = if is_current { current } else { session };
    OpenSession {
        id: session.public_id(),
        created_at: session.created_at,
        last_used_at: session.touched_at,
        expires_at: session.ends_at(),
        current: is_current,
        address: session.address.clone(),
        user_agent: session.user_agent.clone(),
    }
}
