//! Authentication beside the operation, as shared/README.md draws it. The argument
//! [`Caller`](crate::auth::Caller) hands the authentication to the layer, which runs it beside the
//! operation.
//!
//! The session cookie is signed and names organization and user. So the operation starts as soon as
//! the signature is verified, as the tenant of the cookie. Meanwhile the layer reads the session
//! and checks the permission. Three guarantees hold:
//!
//! - No response is sent before the caller is known.
//! - An error of the authentication replaces the response of the operation, which starts no further
//!   read.
//! - No write begins before the authentication has succeeded ([`PendingWrite`]).
//!
//! A request may name its user (`Workdesk-User`). The credential of another user starts no
//! operation: the request is 409, or 401 if that session or token has ended, and no other refusal
//! comes before these.
//!
//! A token is random and names no user. Its holder is read before the operation starts, so that a
//! token costs one request more than a cookie. From there on both are the same.

use std::{
    pin::pin,
    sync::{Arc, Mutex, atomic::Ordering},
};

use ::http::{HeaderValue, request::Parts};
use axum::{
    extract::{Request, State},
    middleware::Next,
    response::{IntoResponse, Response},
};
use futures::{
    FutureExt,
    channel::oneshot,
    future::{BoxFuture, Either, Shared, select},
};
use model::{
    base::{Clock, Error, OrganizationId, UserId, input::Fields, quota::QuotaHolder},
    people::{Demand, Sid},
};
use runtime::telemetry;
use store::{
    base::{IdempotencyKey, PendingWrite, Preconditions, Reader, Store, TokenHolder, WriteContext},
    stop_reading,
};

use crate::{
    Problem,
    auth::{Identity, SessionCookie},
    http::{MOST_BYTES, condition, problem::add_quota},
};

use super::{
    bearer,
    identity::Credential,
    limits::{KnownQuotas, Meter},
    named_user,
};

/// The caller that a signed cookie or a token names, until the authentication has ended.
#[derive(Clone, Debug)]
pub(super) struct Claim {
    pub(super) tenant: OrganizationId,
    pub(super) user: UserId,
    identity: Shared<oneshot::Receiver<Arc<Identity>>>,
    idempotency_key: Option<IdempotencyKey>,
}

#[derive(Clone, Debug)]
pub struct Authentication {
    pub cookie: SessionCookie,
    pub store: Store,
    pub limits: KnownQuotas,
    pub clock: Clock,
}

/// A request's extension through which its argument hands the authentication to the layer.
#[derive(Clone)]
struct AuthenticationSlot {
    authentication: Authentication,
    meter: Arc<Meter>,
    idempotency_key: Option<IdempotencyKey>,
    /// `None` once it is used: a request has one caller.
    layer: Arc<Mutex<Option<oneshot::Sender<Authenticating>>>>,
}

/// The credential that a request shows, before it is read.
enum Shown {
    /// A session, with the hash by which it is stored.
    Session(Sid, String),
    Token(TokenHolder),
}

/// The authentication of a request, under way.
type Authenticating = BoxFuture<'static, Result<(), Error>>;

impl Claim {
    /// The claim of a request, which hands its authentication to the layer. 401 for a cookie or a
    /// token that the service did not issue. 409 for another user's than the request names. Reads
    /// nothing for a cookie, and the holder of a well-formed token.
    pub(super) async fn make(
        parts: &Parts,
        check: fn(&Identity) -> Result<(), Error>,
    ) -> Result<Self, Error> {
        let defect = |why| Error::internal("authenticating a request", why);
        let left = parts
            .extensions
            .get::<AuthenticationSlot>();
        let slot = left.ok_or_else(|| defect("the layer left no slot"))?;
        let authentication = slot.authentication.clone();
        let meter = slot.meter.clone();
        let limits = &authentication.limits;
        let named = named_user::read(&parts.headers);
        let of_other = |user: UserId| {
            let named = named
                .as_ref()
                .ok()?
                .filter(|named| *named != user)?;
            Some(named_user::other(user, named))
        };
        let (notify, identity) = oneshot::channel();
        let (tenant, user, counted, credential) = if bearer::is_shown(&parts.headers) {
            let token = bearer::read(&parts.headers, authentication.store.cell());
            let token = token.ok_or(Error::Unauthenticated)?;
            let counted = QuotaHolder::Token(token.hash());
            limits.admit(&counted, None)?;
            let holder = authentication
                .store
                .tokens()
                .holder(&token)
                .await?;
            let holder = holder.ok_or(Error::Unauthenticated)?;
            let tenant = holder.organization_id;
            let user = holder.user_id;
            meter.caller(counted.clone(), tenant);
            let admitted = limits.admit(&counted, Some(tenant));
            admitted.map_err(|limited| of_other(user).unwrap_or(limited))?;
            (tenant, user, vec![counted], Shown::Token(holder))
        } else {
            let signed = authentication
                .cookie
                .read(&parts.headers);
            let now = authentication.clock.now();
            let sid = signed
                .and_then(|text| Sid::parse(&text, authentication.store.cell()))
                .filter(|sid| !sid.is_too_old(now))
                .ok_or(Error::Unauthenticated)?;
            let tenant = sid.organization;
            let user = sid.user;
            let hash = sid.hash();
            let unproven = QuotaHolder::Session(hash.clone());
            let counted = vec![QuotaHolder::User(user), unproven.clone()];
            for holder in &counted {
                let admitted = limits.admit(holder, Some(tenant));
                let admitted = admitted.inspect_err(|_| telemetry::caller(user, tenant));
                admitted.map_err(|limited| of_other(user).unwrap_or(limited))?;
            }
            meter.caller(unproven, tenant);
            (tenant, user, counted, Shown::Session(sid, hash))
        };
        let refusal = of_other(user);
        let authenticated = async move {
            let identity = authentication.identity_of(&credential);
            if let Some(refusal) = refusal {
                identity.await?;
                return Err(refusal);
            }
            let identity = authentication.within_limits(identity, &counted, tenant, &meter);
            authentication
                .admit(identity.await?, check, notify)
                .await
        };
        let layer = slot
            .layer
            .lock()
            .ok()
            .and_then(|mut layer| layer.take());
        if layer.is_none_or(|layer| {
            layer
                .send(authenticated.boxed())
                .is_err()
        }) {
            return Err(defect("the request already has a caller"));
        }
        if let Some(refusal) = of_other(user) {
            return Err(refusal);
        }
        named?;
        Ok(Self {
            tenant,
            user,
            identity: identity.shared(),
            idempotency_key: slot.idempotency_key.clone(),
        })
    }

    /// A write of the caller under conditions, authorized once the authentication has succeeded and
    /// the caller meets the demand.
    pub(super) fn write(
        &self,
        conditions: Preconditions,
        kept: Fields,
        demand: Demand,
    ) -> PendingWrite {
        let key = self.idempotency_key.clone();
        let context = WriteContext::of_user(self.tenant, self.user, conditions, key).keeping(kept);
        let context = context.within(self.reader());
        let claim = self.clone();
        PendingWrite::new(context.guarding(demand), async move {
            let identity = claim.identity().await?;
            identity.held().meets(demand)?;
            Ok(Some(identity.credential.as_entry()))
        })
    }

    /// The caller as a reader, whose scope is known once the authentication has succeeded.
    pub(super) fn reader(&self) -> Reader {
        let identity = self.identity.clone();
        Reader::new(self.tenant, async move {
            let identity = identity.await.ok()?;
            Some(identity.scope.clone())
        })
    }

    /// The caller, once the authentication has succeeded.
    pub(super) async fn identity(&self) -> Result<Arc<Identity>, Error> {
        // The client gets the authentication's own error in place of this one.
        let identity = self.identity.clone().await;
        identity.map_err(|_| Error::Unauthenticated)
    }
}

/// Runs an operation and, beside it, the authentication of its caller, if it takes one.
pub(crate) async fn authenticate(
    State(authentication): State<Authentication>,
    request: Request,
    next: Next,
) -> Response {
    let (mut request, idempotency_key) = match authentication
        .idempotency_key(request)
        .await
    {
        Ok(read) => read,
        Err(error) => return Problem::<()>::from(error).into_response(),
    };
    let replayed = idempotency_key
        .as_ref()
        .map(|key| key.replayed.clone());
    let (layer, authenticated) = oneshot::channel();
    let meter = Arc::new(Meter::new(authentication.limits.clone()));
    request
        .extensions_mut()
        .insert(AuthenticationSlot {
            authentication,
            meter: meter.clone(),
            idempotency_key,
            layer: Arc::new(Mutex::new(Some(layer))),
        });
    let operation = pin!(next.run(request));
    let authenticated = pin!(async {
        // Without one, the operation takes no caller, or was refused before it came to that
        // argument.
        let Ok(authenticated) = authenticated.await else {
            return Ok(());
        };
        authenticated.await
    });
    let response = match select(authenticated, operation).await {
        Either::Left((Ok(()), operation)) => Ok(operation.await),
        Either::Left((Err(error), operation)) => {
            // The reads under way cost the same if they are dropped, and would not be counted.
            stop_reading();
            operation.await;
            Err(error)
        }
        Either::Right((response, authenticated)) => authenticated.await.map(|()| response),
    };
    let mut response = response.unwrap_or_else(|error| Problem::<()>::from(error).into_response());
    if response.status().is_success() {
        add_quota(response.headers_mut(), meter.headers());
    }
    if replayed.is_some_and(|replayed| replayed.load(Ordering::Relaxed)) {
        let headers = response.headers_mut();
        let yes = HeaderValue::from_static("true");
        headers.insert(condition::IDEMPOTENCY_REPLAYED, yes);
    }
    response
}

impl Authentication {
    /// The idempotency key of a request, with signatures of its path and body. Lambda hands over at
    /// most 6 MB of a body, and all of it is in memory already. A body that is larger than the
    /// service reads is refused later, and is not signed.
    async fn idempotency_key(
        &self,
        request: Request,
    ) -> Result<(Request, Option<IdempotencyKey>), Error> {
        // The argument refuses a malformed key.
        let key = condition::idempotency_key(request.method(), request.headers());
        let Ok(Some(key)) = key else {
            return Ok((request, None));
        };
        let (parts, body) = request.into_parts();
        let body = axum::body::to_bytes(body, usize::MAX).await;
        let body = body.map_err(|error| Error::internal("reading a body", error))?;
        let fingerprints = || {
            self.cookie
                .fingerprints("attempt", parts.uri.path(), &body)
        };
        let key = (body.len() <= MOST_BYTES).then(|| IdempotencyKey {
            key,
            fingerprints: fingerprints().into(),
            replayed: Arc::default(),
        });
        Ok((Request::from_parts(parts, body.into()), key))
    }

    /// Reads the caller, and beside it charges what earlier requests used. 429 if a quota is used
    /// up.
    async fn within_limits(
        &self,
        read: impl Future<Output = Result<Identity, Error>>,
        counted: &[QuotaHolder],
        tenant: OrganizationId,
        meter: &Meter,
    ) -> Result<Identity, Error> {
        let (identity, ()) = futures::join!(read, self.limits.charge(counted, tenant));
        let identity = identity?;
        telemetry::caller(identity.user.id, identity.organization.id);
        let Some(caller) = counted.first() else {
            return Ok(identity);
        };
        meter.authenticated(caller.clone(), identity.organization.units_per_second);
        self.limits
            .admit(caller, Some(tenant))?;
        Ok(identity)
    }

    /// Checks the caller, tells the operation, and stores that the credential was used.
    async fn admit(
        &self,
        mut identity: Identity,
        check: fn(&Identity) -> Result<(), Error>,
        notify: oneshot::Sender<Arc<Identity>>,
    ) -> Result<(), Error> {
        identity.organization.works()?;
        check(&identity)?;
        let now = self.clock.now();
        let is_due = identity.touch(now);
        let identity = Arc::new(identity);
        // The operation may have ended without asking.
        let _ = notify.send(identity.clone());
        if !is_due {
            return Ok(());
        }
        let (failure, done) = match &identity.credential {
            Credential::Session(session) => {
                let done = self
                    .store
                    .sign_in()
                    .touch(session, now)
                    .await;
                ("a session was not extended", done)
            }
            Credential::Token(token) => {
                let done = self
                    .store
                    .tokens()
                    .touch(token, now)
                    .await;
                ("a token's use was not noted", done)
            }
        };
        // The credential holds all the same, and the next request stores its use.
        if let Err(error) = done {
            telemetry::warn(failure, &error);
        }
        Ok(())
    }

    /// The caller of a session or a token. 401 when it has ended.
    async fn identity_of(&self, shown: &Shown) -> Result<Identity, Error> {
        let now = self.clock.now();
        let identity = match shown {
            Shown::Session(sid, hash) => {
                let sign_in = self.store.sign_in();
                let caller = sign_in
                    .caller(sid.organization, sid.user, hash)
                    .await?;
                caller
                    .filter(|caller| {
                        caller
                            .credential
                            .holds(&caller.user, now)
                    })
                    .map(|caller| Identity::of(caller, Credential::Session, now))
            }
            Shown::Token(holder) => {
                let caller = self
                    .store
                    .tokens()
                    .caller(holder)
                    .await?;
                caller
                    .filter(|caller| {
                        caller
                            .credential
                            .holds(&caller.user, now)
                    })
                    .map(|caller| Identity::of(caller, Credential::Token, now))
            }
        };
        identity
            .filter(|identity| {
                identity
                    .organization
                    .keeps(&identity.user, now)
            })
            .ok_or(Error::Unauthenticated)
    }
}
