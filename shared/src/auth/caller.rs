//! The caller of an operation, as an argument of its handler.

use std::{marker::PhantomData, sync::Arc};

use axum::extract::FromRequestParts;
use http::{Uri, request::Parts};
use model::{
    Code, Error, HistoryOf, HistorySort, Listing, NamedPermission, OrganizationId, UserId,
    input::Input,
};
use store::{EntryWithActor, PendingWrite, Preconditions};

use super::{
    claim::Claim,
    identity::Identity,
    need::{self, Need, OwnOr},
};
use crate::{
    App, Problem,
    http::{
        Links, List, Pages, Rest, condition,
        operation::{Argument, Description},
        query,
    },
};

/// The caller of an operation, who claims to have the permission `N`, with the query parameters `Q`.
///
/// 401 at once for a cookie with a bad signature, and for a malformed token. The session or token and
/// the permission are checked beside the operation (see `claim`). A read simply starts;
/// a write passes its [`pending_write`](Self::pending_write) to the store.
#[derive(Debug)]
pub struct Caller<N, Q = ()> {
    claim: Claim,
    uri: Uri,
    conditions: Preconditions,
    rest: Rest,
    pub query: Q,
    need: PhantomData<fn() -> N>,
}

impl<N, Q> Caller<N, Q> {
    pub const fn tenant(&self) -> OrganizationId {
        self.claim.tenant
    }

    pub const fn user_id(&self) -> UserId {
        self.claim.user
    }

    /// A write of the caller, authorized once the authentication has succeeded, under the conditions of
    /// the request. The record must have the fields of the body that the operation does not change.
    pub fn pending_write(&self) -> PendingWrite {
        let kept = self.rest.fields();
        self.claim.pending_write(self.conditions.clone(), kept)
    }

    /// The caller, once the authentication has succeeded.
    pub async fn identity(&self) -> Result<Arc<Identity>, Error> {
        self.claim.identity().await
    }

    pub fn links(&self, app: &App) -> Links {
        Links::new(app.cursors.clone(), self.tenant(), self.uri.clone())
    }
}

impl<N, F, S> Caller<N, Listing<F, S>> {
    /// The requested page of a list. 400 for a cursor of another list.
    pub fn pages(&self, app: &App) -> Result<Pages, Error> {
        self.links(app).pages(&self.query.part)
    }

    /// As [`pages`](Self::pages), of a list that each user has of their own. 400 for another user's
    /// cursor.
    pub fn own_pages(&self, app: &App) -> Result<Pages, Error> {
        let links = self.links(app).of_user(self.user_id());
        links.pages(&self.query.part)
    }
}

impl<N> Caller<N, Listing<(), HistorySort>> {
    /// The requested page of a record's history, newest entry first.
    pub async fn history(&self, app: &App, of: HistoryOf) -> Result<List<EntryWithActor>, Problem> {
        let pages = self.pages(app)?;
        let page = app.store.history(self.tenant(), of, &pages.wanted);
        Ok(pages.answer(page.await?, |entry| entry)?)
    }
}

impl<P: NamedPermission, Q> Caller<OwnOr<P>, Q> {
    /// 403 unless the caller created the record, or has the permission for records of others.
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
        let conditions = condition::of_write(parts)?;
        condition::idempotency_key(&parts.method, &parts.headers)?;
        Ok(Self {
            claim,
            uri: parts.uri.clone(),
            conditions,
            rest: Rest::begin(parts),
            query: query::parse(parts)?,
            need: PhantomData,
        })
    }
}

impl<N: Need, Q: Input> Argument for Caller<N, Q> {
    fn describe(description: &mut Description) {
        description.needs_caller(N::TAKES_TOKENS);
        description.needs(N::names());
        description.problems(&[
            Code::Unauthenticated,
            Code::OrganizationSuspended,
            Code::RateLimited,
        ]);
        description.problems(&N::codes());
        query::describe::<Q>(description);
        condition::describe(description);
    }
}
