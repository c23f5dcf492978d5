//! The caller of an operation, as an argument of its handler.

use std::marker::PhantomData;

use axum::extract::{FromRef, FromRequestParts};
use http::request::Parts;
use model::{Error, Organization, OrganizationId, Permission, Session, User, UserId};
use runtime::telemetry;
use store::Stored;

use super::{
    Sid,
    need::{self, Need},
};
use crate::{
    App, Problem,
    http::query::{NoQuery, QueryInput},
};

/// Who calls, as they are at this moment.
#[derive(Clone, Debug)]
pub struct Identity {
    /// The session, as it was read or just extended.
    pub session: Session,
    /// The signed-in user.
    pub user: User,
    /// The user's organization.
    pub organization: Organization,
}

/// A caller who has what the endpoint needs, with the query parameters that it takes, which by
/// default are none.
///
/// Extracting it decides in this order: 401 without a session, 403 without the need, 400 for a
/// query parameter that is unknown or at fault. A cookie with a bad signature costs no read of
/// the table; a good one costs one batch.
#[derive(Debug)]
pub struct Caller<N, Q = NoQuery> {
    /// Who calls.
    pub identity: Identity,
    /// The query parameters.
    pub query: Q,
    need: PhantomData<fn() -> N>,
}

impl<N, Q> Caller<N, Q> {
    /// The tenant whose records the caller may see.
    pub const fn tenant(&self) -> OrganizationId {
        self.identity.organization.id
    }

    /// The signed-in user.
    pub const fn user_id(&self) -> UserId {
        self.identity.user.id
    }

    /// 403 unless the caller has a further permission.
    pub fn needs(&self, permission: Permission) -> Result<(), Error> {
        need::permission(&self.identity.user, permission)
    }
}

impl<S, N, Q> FromRequestParts<S> for Caller<N, Q>
where
    S: Send + Sync,
    App: FromRef<S>,
    N: Need,
    Q: QueryInput,
{
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let app = App::from_ref(state);
        let identity = authenticate(&app, parts).await?;
        telemetry::caller(identity.user.id, identity.organization.id);
        N::check(&identity.user, &identity.organization)?;
        let query = Q::from_query(parts.uri.query().unwrap_or_default())?;
        Ok(Self {
            identity,
            query,
            need: PhantomData,
        })
    }
}

async fn authenticate(app: &App, parts: &Parts) -> Result<Identity, Error> {
    let sid = app
        .cookie
        .read(&parts.headers)
        .and_then(|sid| Sid::parse(&sid))
        .ok_or(Error::Unauthenticated)?;
    let (session, user, organization) = app
        .store
        .sign_in()
        .caller(sid.organization, sid.user, &sid.hash())
        .await?
        .ok_or(Error::Unauthenticated)?;
    let now = app.clock.now();
    let Stored {
        record: mut session,
        ..
    } = session;
    if !session.holds(&user, now) {
        return Err(Error::Unauthenticated);
    }
    if session.wants_touch(now) {
        app.store.sign_in().touch(&session, now).await?;
        session.touched_at = now;
    }
    Ok(Identity {
        session,
        user,
        organization,
    })
}
