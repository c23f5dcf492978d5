//! The caller of an operation, as an argument of its handler.

use std::{marker::PhantomData, sync::Arc};

use axum::extract::FromRequestParts;
use http::{Uri, request::Parts};
use model::{Code, Error, Listing, NamedPermission, OrganizationId, UserId, input::Input};
use store::{Expected, Permit};

use super::{
    claim::Claim,
    identity::Identity,
    need::{self, Need, OwnOr},
};
use crate::{
    App, Problem,
    http::{
        Links, Pages, condition,
        operation::{Argument, Description},
        query,
    },
};

/// A caller who claims to have what the endpoint needs, with the query parameters that it takes,
/// which by default are none.
///
/// A cookie with a bad signature and a token that has not the form of one are answered 401 at once.
/// Whether the session or the token stands and the caller may is found out beside the operation (see
/// [`claim`](super::claim)): reads simply start; what writes passes its [`permit`](Self::permit) to
/// the store.
#[derive(Debug)]
pub struct Caller<N, Q = ()> {
    claim: Claim,
    uri: Uri,
    expected: Expected,
    idempotency_key: Option<String>,
    /// The query parameters.
    pub query: Q,
    need: PhantomData<fn() -> N>,
}

impl<N, Q> Caller<N, Q> {
    /// The tenant whose records the caller may see.
    pub const fn tenant(&self) -> OrganizationId {
        self.claim.tenant
    }

    /// The signed-in user.
    pub const fn user_id(&self) -> UserId {
        self.claim.user
    }

    /// Leave to write, once the caller is found to be who they claim to be, under the conditions that
    /// the request's headers make.
    pub fn permit(&self) -> Permit {
        let key = self.idempotency_key.clone();
        self.claim.permit(self.expected.clone(), key)
    }

    /// Who calls, once that is known.
    pub async fn identity(&self) -> Result<Arc<Identity>, Error> {
        self.claim.identity().await
    }
}

impl<N, Q> Caller<N, Q> {
    /// Links to the caller's lists.
    pub fn links(&self, app: &App) -> Links {
        Links::new(app.cursors.clone(), self.tenant(), self.uri.clone())
    }
}

impl<N, F, S> Caller<N, Listing<F, S>> {
    /// The part of the list that is asked for. 400 for a cursor that is not one of this list.
    pub fn pages(&self, app: &App) -> Result<Pages, Error> {
        self.links(app).pages(&self.query.part)
    }

    /// The same of a list that each user has of their own, of which another user's cursor is none.
    pub fn own_pages(&self, app: &App) -> Result<Pages, Error> {
        let links = self.links(app).of_user(self.user_id());
        links.pages(&self.query.part)
    }
}

impl<P: NamedPermission, Q> Caller<OwnOr<P>, Q> {
    /// 403 unless the caller is the record's creator or has the permission for those of others.
    pub async fn created_or_may(&self, creator: UserId) -> Result<(), Error> {
        let identity = self.identity().await?;
        if creator == self.user_id() && identity.is_unbounded() {
            return Ok(());
        }
        need::permission(&identity, P::PERMISSION)
    }
}

impl<S, N, Q> FromRequestParts<S> for Caller<N, Q>
where
    S: Send + Sync,
    N: Need,
    Q: Input + Send,
{
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        let claim = Claim::make(parts, N::check).await?;
        Ok(Self {
            claim,
            uri: parts.uri.clone(),
            expected: condition::expected(parts)?,
            idempotency_key: condition::idempotency_key(&parts.method, &parts.headers)?,
            query: query::parse(parts)?,
            need: PhantomData,
        })
    }
}

impl<N: Need, Q: Input> Argument for Caller<N, Q> {
    fn describe(description: &mut Description) {
        description.needs_caller(N::TAKES_TOKENS);
        description.needs(N::names());
        description.problems(&[Code::Unauthenticated]);
        description.problems(&N::codes());
        query::describe::<Q>(description);
        condition::describe(description);
    }
}
