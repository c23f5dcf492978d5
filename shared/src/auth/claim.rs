//! Authentication beside the operation.
//!
//! The session cookie is signed and names organization and user. So an operation starts once the
//! signature is verified, with the tenant that the cookie names, and whether the session stands and
//! the caller may is found out meanwhile. Both end together: nothing is answered before the caller
//! is known, a refusal of the caller comes before whatever the operation found, and an operation
//! that writes waits for its [`Permit`](store::Permit).

use std::{
    pin::pin,
    sync::{Arc, Mutex},
};

use axum::{
    extract::{Request, State},
    middleware::Next,
    response::{IntoResponse, Response},
};
use futures::{
    FutureExt,
    channel::oneshot,
    future::{Either, Shared, select},
};
use http::request::Parts;
use model::{Clock, Error, Organization, OrganizationId, Session, Sid, User, UserId, UserRef};
use runtime::telemetry;
use store::Store;

use super::SessionCookie;
use crate::Problem;

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

impl Identity {
    /// The signed-in user, as what they write shows its author.
    #[must_use]
    pub fn as_author(&self) -> UserRef {
        UserRef::from(&self.user)
    }
}

/// What a signed cookie says of the caller, and whom it turns out to be.
#[derive(Clone, Debug)]
pub(super) struct Claim {
    pub(super) tenant: OrganizationId,
    pub(super) user: UserId,
    identity: Shared<oneshot::Receiver<Arc<Identity>>>,
}

/// What authenticates callers.
#[derive(Clone, Debug)]
pub struct Authentication {
    /// Verifies the session cookie.
    pub cookie: SessionCookie,
    /// Has sessions, users and organizations.
    pub store: Store,
    /// Says whether a session has ended.
    pub clock: Clock,
}

/// A check of the caller.
pub(super) type Check = fn(&User, &Organization) -> Result<(), Error>;

/// A claim on its way to whoever judges it.
struct Made {
    sid: Sid,
    check: Check,
    identity: oneshot::Sender<Arc<Identity>>,
}

/// Where the operation's argument leaves its claim; empty once it did.
#[derive(Clone)]
struct Slot {
    cookie: SessionCookie,
    judge: Arc<Mutex<Option<oneshot::Sender<Made>>>>,
}

impl Claim {
    /// The claim of a request. 401 when its cookie is none of ours, which costs no read.
    pub(super) fn make(parts: &Parts, check: Check) -> Result<Self, Error> {
        let nobody = |why| Error::internal("authenticating a request", why);
        let slot = parts.extensions.get::<Slot>();
        let slot = slot.ok_or_else(|| nobody("nobody judges its claim"))?;
        let sid = slot
            .cookie
            .read(&parts.headers)
            .and_then(|sid| Sid::parse(&sid))
            .ok_or(Error::Unauthenticated)?;
        let (tell, identity) = oneshot::channel();
        let claim = Self {
            tenant: sid.organization,
            user: sid.user,
            identity: identity.shared(),
        };
        let made = Made {
            sid,
            check,
            identity: tell,
        };
        let judge = slot.judge.lock().ok().and_then(|mut judge| judge.take());
        if judge.is_some_and(|judge| judge.send(made).is_ok()) {
            Ok(claim)
        } else {
            Err(nobody("its claim was made before"))
        }
    }

    /// Who calls, once the claim was found to be true.
    pub(super) async fn identity(&self) -> Result<Arc<Identity>, Error> {
        // Nobody sees this error: the one that the claim failed with is answered.
        let identity = self.identity.clone().await;
        identity.map_err(|_| Error::Unauthenticated)
    }
}

/// Runs an operation and, beside it, judges the claim that it makes, if it makes one.
pub(crate) async fn judge(
    State(authentication): State<Authentication>,
    mut request: Request,
    next: Next,
) -> Response {
    let (judge, made) = oneshot::channel();
    let slot = Slot {
        cookie: authentication.cookie.clone(),
        judge: Arc::new(Mutex::new(Some(judge))),
    };
    request.extensions_mut().insert(slot);
    let operation = pin!(next.run(request));
    let judged = pin!(async {
        match made.await {
            Ok(made) => authentication.judge(made).await,
            // The operation is open to everybody, or refused before it came to a claim.
            Err(_) => Ok(()),
        }
    });
    let judged = match select(judged, operation).await {
        Either::Left((Ok(()), operation)) => return operation.await,
        Either::Left((Err(error), _)) => Err(error),
        Either::Right((response, judged)) => judged.await.map(|()| response),
    };
    judged.unwrap_or_else(|error| Problem::<()>::from(error).into_response())
}

impl Authentication {
    async fn judge(&self, made: Made) -> Result<(), Error> {
        let Made {
            sid,
            check,
            identity: tell,
        } = made;
        let sign_in = self.store.sign_in();
        let hash = sid.hash();
        let found = sign_in.caller(sid.organization, sid.user, &hash);
        let (session, user, organization) = found.await?.ok_or(Error::Unauthenticated)?;
        let now = self.clock.now();
        let mut session = session.record;
        if !session.holds(&user, now) {
            return Err(Error::Unauthenticated);
        }
        telemetry::caller(user.id, organization.id);
        check(&user, &organization)?;
        let touched = session.wants_touch(now).then(|| session.clone());
        if touched.is_some() {
            session.touched_at = now;
        }
        // The operation may have ended without asking.
        let _ = tell.send(Arc::new(Identity {
            session,
            user,
            organization,
        }));
        if let Some(session) = touched
            && let Err(error) = sign_in.touch(&session, now).await
        {
            // The session holds all the same, and the next request extends it.
            telemetry::warn("a session was not extended", &error);
        }
        Ok(())
    }
}
