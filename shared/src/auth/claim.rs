//! Authentication beside the operation.
//!
//! The session cookie is signed and names organization and user. So an operation starts once the
//! signature is verified, with the tenant that the cookie names, and whether the session stands and
//! the caller may is found out meanwhile. Both end together: nothing is answered before the caller
//! is known, a refusal of the caller comes before whatever the operation found, and an operation
//! that writes waits for its [`Permit`](store::Permit).
//!
//! A token is nothing but random and names nobody. Whose it is has to be read before the operation
//! starts; from there on all is the same, so that a token costs one request more than a cookie.

use std::{
    pin::pin,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
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
use http::{HeaderMap, HeaderValue, Method, request::Parts};
use model::{Clock, Error, OrganizationId, Session, Sid, Timestamp, Token, UserId};
use runtime::telemetry;
use store::{Attempt, Expected, Permit, Store, Terms, TokenHolder};

use super::{
    SessionCookie, bearer,
    identity::{Credential, Identity},
};
use crate::{
    Problem,
    http::{
        MOST_BYTES,
        condition::{IDEMPOTENCY_KEY, IDEMPOTENCY_REPLAYED},
    },
};

/// What a signed cookie or a token says of the caller, and whom it turns out to be.
#[derive(Clone, Debug)]
pub(super) struct Claim {
    pub(super) tenant: OrganizationId,
    pub(super) user: UserId,
    identity: Shared<oneshot::Receiver<Arc<Identity>>>,
    store: Store,
    /// What the request asks for, if it may be sent again.
    asked: Option<Asked>,
}

/// What a request asks for, by which it is known again.
#[derive(Clone, Debug)]
struct Asked {
    fingerprints: Arc<[String]>,
    /// Whether it was answered with what an earlier one did.
    is_repeated: Arc<AtomicBool>,
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
pub(super) type Check = fn(&Identity) -> Result<(), Error>;

/// What a request shows for its claim.
enum Shown {
    Session(Sid),
    Token(TokenHolder),
}

/// A claim on its way to whoever judges it.
struct Made {
    shown: Shown,
    check: Check,
    identity: oneshot::Sender<Arc<Identity>>,
}

/// Where the operation's argument leaves its claim; empty once it did.
#[derive(Clone)]
struct Slot {
    cookie: SessionCookie,
    store: Store,
    judge: Arc<Mutex<Option<oneshot::Sender<Made>>>>,
    asked: Option<Asked>,
}

impl Claim {
    /// The claim of a request. 401 when its cookie or its token is none of ours, which costs no read
    /// unless the token has the form of one.
    pub(super) async fn make(parts: &Parts, check: Check) -> Result<Self, Error> {
        let nobody = |why| Error::internal("authenticating a request", why);
        let slot = parts.extensions.get::<Slot>();
        let slot = slot.ok_or_else(|| nobody("nobody judges its claim"))?;
        let shown = slot.shown(&parts.headers).await?;
        let (tenant, user) = match &shown {
            Shown::Session(sid) => (sid.organization, sid.user),
            Shown::Token(holder) => (holder.organization_id, holder.user_id),
        };
        let (tell, identity) = oneshot::channel();
        let claim = Self {
            tenant,
            user,
            identity: identity.shared(),
            store: slot.store.clone(),
            asked: slot.asked.clone(),
        };
        let made = Made {
            shown,
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

    /// Leave to write under those conditions, once the claim was found to be true and a request of
    /// that key to be a new one.
    pub(super) fn permit(&self, expected: Expected, key: Option<String>) -> Permit {
        let attempt = key.zip(self.asked.clone()).map(|(key, asked)| Attempt {
            user: self.user,
            key,
            fingerprints: asked.fingerprints,
            is_repeated: asked.is_repeated,
        });
        let terms = Terms {
            tenant: self.tenant,
            actor: Some(self.user),
            expected,
            attempt: attempt.clone(),
        };
        let claim = self.clone();
        Permit::pending(terms, async move {
            let is_new = async {
                match &attempt {
                    Some(attempt) => claim.store.is_new(claim.tenant, attempt).await,
                    None => Ok(()),
                }
            };
            let (known, is_new) = tokio::join!(claim.identity(), is_new);
            known.and(is_new)
        })
    }

    /// Who calls, once the claim was found to be true.
    pub(super) async fn identity(&self) -> Result<Arc<Identity>, Error> {
        // Nobody sees this error: the one that the claim failed with is answered.
        let identity = self.identity.clone().await;
        identity.map_err(|_| Error::Unauthenticated)
    }
}

impl Slot {
    /// What a request shows for its claim; with a token, its cookie is not looked at.
    async fn shown(&self, headers: &HeaderMap) -> Result<Shown, Error> {
        let shown = if bearer::is_shown(headers) {
            let token = bearer::read(headers).ok_or(Error::Unauthenticated)?;
            let holder = self.store.tokens().holder(&token).await?;
            holder.map(Shown::Token)
        } else {
            let sid = self.cookie.read(headers);
            sid.and_then(|sid| Sid::parse(&sid)).map(Shown::Session)
        };
        shown.ok_or(Error::Unauthenticated)
    }
}

/// Runs an operation and, beside it, judges the claim that it makes, if it makes one.
pub(crate) async fn judge(
    State(authentication): State<Authentication>,
    mut request: Request,
    next: Next,
) -> Response {
    let (judge, made) = oneshot::channel();
    let asked;
    (request, asked) = match authentication.asked(request).await {
        Ok(asked) => asked,
        Err(error) => return Problem::<()>::from(error).into_response(),
    };
    let is_repeated = asked.as_ref().map(|asked| asked.is_repeated.clone());
    let slot = Slot {
        cookie: authentication.cookie.clone(),
        store: authentication.store.clone(),
        judge: Arc::new(Mutex::new(Some(judge))),
        asked,
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
        Either::Left((Ok(()), operation)) => Ok(operation.await),
        Either::Left((Err(error), _)) => Err(error),
        Either::Right((response, judged)) => judged.await.map(|()| response),
    };
    let mut response = judged.unwrap_or_else(|error| Problem::<()>::from(error).into_response());
    if is_repeated.is_some_and(|repeated| repeated.load(Ordering::Relaxed)) {
        let yes = HeaderValue::from_static("true");
        response.headers_mut().insert(IDEMPOTENCY_REPLAYED, yes);
    }
    response
}

impl Authentication {
    /// What a request asks for, if it has a key by which it is known again: its path and body. Of the
    /// body there is no more than Lambda hands over, 6 MB, and all of that is here already; one that
    /// is larger than the service reads is refused, and not worth signing.
    async fn asked(&self, request: Request) -> Result<(Request, Option<Asked>), Error> {
        if request.method() != Method::POST || !request.headers().contains_key(IDEMPOTENCY_KEY) {
            return Ok((request, None));
        }
        let (parts, body) = request.into_parts();
        let body = axum::body::to_bytes(body, usize::MAX).await;
        let body = body.map_err(|error| Error::internal("reading a body", error))?;
        let asked = (body.len() <= MOST_BYTES).then(|| Asked {
            fingerprints: self
                .cookie
                .fingerprints("attempt", parts.uri.path(), &body)
                .into(),
            is_repeated: Arc::default(),
        });
        Ok((Request::from_parts(parts, body.into()), asked))
    }

    async fn judge(&self, made: Made) -> Result<(), Error> {
        let Made {
            shown,
            check,
            identity: tell,
        } = made;
        let now = self.clock.now();
        let (identity, touch) = match &shown {
            Shown::Session(sid) => self.of_session(sid, now).await?,
            Shown::Token(holder) => self.of_token(holder, now).await?,
        };
        telemetry::caller(identity.user.id, identity.organization.id);
        check(&identity)?;
        // The operation may have ended without asking.
        let _ = tell.send(Arc::new(identity));
        // What was shown holds all the same when this fails, and the next request notes it.
        match touch {
            Some(Touch::Session(session)) => {
                let done = self.store.sign_in().touch(&session, now).await;
                noted("a session was not extended", done);
            }
            Some(Touch::Token(token)) => {
                let done = self.store.tokens().touch(&token, now).await;
                noted("a token's use was not noted", done);
            }
            None => {}
        }
        Ok(())
    }

    async fn of_session(
        &self,
        sid: &Sid,
        now: Timestamp,
    ) -> Result<(Identity, Option<Touch>), Error> {
        let (sign_in, hash) = (self.store.sign_in(), sid.hash());
        let found = sign_in.caller(sid.organization, sid.user, &hash).await?;
        let (session, user, organization) = found.ok_or(Error::Unauthenticated)?;
        let mut session = session.record;
        if !session.holds(&user, now) {
            return Err(Error::Unauthenticated);
        }
        let touch = session.wants_touch(now).then(|| session.clone());
        if touch.is_some() {
            session.touched_at = now;
        }
        let credential = Credential::Session(session);
        let identity = Identity {
            credential,
            user,
            organization,
        };
        Ok((identity, touch.map(Touch::Session)))
    }

    async fn of_token(
        &self,
        holder: &TokenHolder,
        now: Timestamp,
    ) -> Result<(Identity, Option<Touch>), Error> {
        let found = self.store.tokens().caller(holder).await?;
        let (token, user, organization) = found.ok_or(Error::Unauthenticated)?;
        if !token.holds(&user, now) {
            return Err(Error::Unauthenticated);
        }
        let touch = token.wants_touch(now).then(|| token.clone());
        let credential = Credential::Token(token);
        let identity = Identity {
            credential,
            user,
            organization,
        };
        Ok((identity, touch.map(Touch::Token)))
    }
}

/// A use that is worth a write.
enum Touch {
    Session(Session),
    Token(Token),
}

fn noted(failure: &'static str, done: Result<(), Error>) {
    if let Err(error) = done {
        telemetry::warn(failure, &error);
    }
}
