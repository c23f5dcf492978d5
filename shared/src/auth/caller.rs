//! The caller of an operation, as an argument of its handler.

use std::{marker::PhantomData, sync::Arc};

use ::http::{Uri, request::Parts};
use axum::extract::{FromRef, FromRequestParts};
use model::{
    base::{
        Code, Error, HistoryOf, HistorySort, Id, Listing, OrganizationId, UserId, input::Input,
    },
    people::{Demand, NamedPermission},
};
use store::base::{EntryWithActor, PendingWrite, Preconditions, Reader};

use crate::{
    App, Problem,
    auth::{Identity, need},
    http::{
        List, PageLinks, Pages, PathId, Rest, condition,
        operation::{Argument, Description},
        query,
    },
};

use super::{
    claim::Claim,
    named_user,
    need::{Need, OwnOr},
};

/// The caller of an operation, who claims to have the permission `N`, with the query parameters
/// `Q`.
///
/// 401 at once for a cookie with a bad signature, and for a malformed token. 409 for a credential
/// of another user than the request names; the operation does not start. The session or token and
/// the permission are checked beside the operation (see `claim`). A read simply starts; a write
/// passes its [`write`](Self::write) to the store.
#[derive(Debug)]
pub struct Caller<N, Q = ()> {
    claim: Claim,
    uri: Uri,
    conditions: Preconditions,
    rest: Rest,
    pub app: App,
    pub query: Q,
    need: PhantomData<fn() -> N>,
}

impl<N, Q> Caller<N, Q> {
    pub const fn tenant(&self) -> OrganizationId {
        self.claim.tenant
    }

    /// The caller as a reader of records in their scope.
    pub fn reader(&self) -> Reader {
        self.claim.reader()
    }

    pub const fn user_id(&self) -> UserId {
        self.claim.user
    }

    /// The caller, once the authentication has succeeded.
    pub async fn identity(&self) -> Result<Arc<Identity>, Error> {
        self.claim.identity().await
    }

    /// 404 for another organization than the caller's.
    pub fn owns(&self, id: PathId<OrganizationId>) -> Result<(), Error> {
        let is_own = id.known()? == self.tenant();
        is_own
            .then_some(())
            .ok_or(Error::NotFound(OrganizationId::NOUN))
    }

    pub fn links(&self) -> PageLinks {
        PageLinks::new(self.app.cursors.clone(), self.tenant(), self.uri.clone())
    }
}

impl<N: Need, Q> Caller<N, Q> {
    /// A write of the caller, authorized once the authentication has succeeded, under the
    /// conditions of the request. The record must have the fields of the body that the operation
    /// does not change.
    pub fn write(&self) -> PendingWrite {
        self.write_demanding(N::DEMAND)
    }

    /// As [`write`](Self::write), of a change whose demand follows from its body. 403 unless the
    /// caller meets it.
    pub fn write_demanding(&self, demand: Demand) -> PendingWrite {
        let conditions = self.conditions.clone();
        self.claim
            .write(conditions, self.rest.fields(), demand)
    }
}

impl<N, F, S> Caller<N, Listing<F, S>> {
    /// The requested page of a list. 400 for a cursor of another list.
    pub fn pages(&self) -> Result<Pages, Error> {
        self.links().pages(&self.query.part)
    }

    /// As [`pages`](Self::pages), of a list that each user has of their own. 400 for another user's
    /// cursor.
    pub fn own_pages(&self) -> Result<Pages, Error> {
        self.links()
            .of_user(self.user_id())
            .pages(&self.query.part)
    }
}

impl<N> Caller<N, Listing<(), HistorySort>> {
    /// The requested page of a record's history, newest entry first.
    pub async fn history(&self, of: HistoryOf) -> Result<List<EntryWithActor>, Problem> {
        let pages = self.pages()?;
        let reader = self.reader();
        let page = self
            .app
            .store
            .history(&reader, of, &pages.wanted);
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
    App: FromRef<S>,
    N: Need,
    Q: Input + Send,
{
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let claim = Claim::make(parts, N::check).await?;
        let conditions = condition::of_write(parts)?;
        condition::idempotency_key(&parts.method, &parts.headers)?;
        Ok(Self {
            claim,
            uri: parts.uri.clone(),
            conditions,
            rest: Rest::begin(parts),
            app: App::from_ref(state),
            query: query::parse(parts)?,
            need: PhantomData,
        })
    }
}

impl<N: Need, Q: Input> Argument for Caller<N, Q> {
    fn describe(description: &mut Description) {
        use Code::{OrganizationSuspended, RateLimited, Unauthenticated};
        description.needs_caller(N::TAKES_TOKENS);
        let (needs, codes): (_, Vec<Option<Code>>) = N::names().into_iter().unzip();
        description.needs(needs);
        description.problems(&[Unauthenticated, OrganizationSuspended, RateLimited]);
        description.problems(
            &codes
                .into_iter()
                .flatten()
                .collect::<Vec<_>>(),
        );
        named_user::describe(description);
        query::describe::<Q>(description);
        condition::describe(description);
    }
}
