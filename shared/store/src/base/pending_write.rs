//! The context of a write, and its authorization, which may still be under way.

use std::sync::Arc;

use futures::future::{BoxFuture, OptionFuture};
use model::{
    base::{OrganizationId, UserId, input::Fields},
    people::{Demand, EntryCredential, Held, Place, Scope},
};
use serde::Serialize;
use table::{OrNotFound, Stored, new_write_id};

use crate::{
    Result, Tenant,
    base::{
        IdempotencyKey, InScope, Preconditions, Reader, Store,
        conditions::keeps,
        idempotency::Created,
        records::{Author, ReadHead},
        scope::Placed,
    },
};

/// A write whose authorization may still be under way.
///
/// The store reads beside the authorization, so that neither waits for the other
/// (`Store::authorized`). It reserves ids meanwhile, and writes nothing before the authorization
/// succeeded. Ids reserved for a refused caller go to the next record.
pub struct PendingWrite {
    context: WriteContext,
    /// `None` for a write that needs none.
    authorization: Option<BoxFuture<'static, Authorization>>,
}

/// The outcome of an authorization: the credential of the request, or its refusal.
type Authorization = Result<Option<EntryCredential>>;

#[derive(Clone, Debug)]
pub struct WriteContext {
    pub tenant: Tenant,
    /// The user who writes; `None` for the service itself.
    pub actor: Option<UserId>,
    /// The credential of the request, known once the write is authorized.
    pub credential: Option<Box<EntryCredential>>,
    /// True if the operator writes, with a program of their own.
    pub is_operator: bool,
    /// True if the write guards the organization. Its first entry in the journal notifies the
    /// admins.
    pub guards: bool,
    /// The versions that the record may have.
    pub conditions: Preconditions,
    /// The fields of the body beyond those of the operation. The record must have the same values.
    pub kept: Fields,
    pub idempotency_key: Option<IdempotencyKey>,
    /// The id of the write, which its items get. Attempts after a conflict have the same one.
    pub(crate) write_id: String,
    /// The scope of the writer, under way until the write is authorized.
    reader: Reader,
    /// The scope of the writer, known once the write is authorized.
    scope: Arc<Scope>,
    /// The head of the organization's journal, if it was read with the records of the write.
    pub(crate) head: Option<Box<ReadHead>>,
}

/// A write, or its context or tenant alone if it needs no authorization.
pub trait Pending: Into<PendingWrite> {
    fn with_tenant(self) -> (PendingWrite, Tenant) {
        let pending = self.into();
        let tenant = pending.context.tenant;
        (pending, tenant)
    }

    /// The write, and its writer as a reader.
    fn with_reader(self) -> (PendingWrite, Reader) {
        let pending = self.into();
        let reader = pending.context.reader.clone();
        (pending, reader)
    }
}

impl<W: Into<PendingWrite>> Pending for W {}

impl PendingWrite {
    /// A write that waits for `authorization`, and fails with its error.
    pub fn new(
        context: impl Into<WriteContext>,
        authorization: impl Future<Output = Authorization> + Send + 'static,
    ) -> Self {
        Self {
            context: context.into(),
            authorization: Some(Box::pin(authorization)),
        }
    }

    pub fn tenant(&self) -> OrganizationId {
        self.context.tenant
    }

    /// Waits for the authorization. Only for writes that take no idempotency key; others go through
    /// [`Store::authorized`].
    pub(crate) async fn authorized(self) -> Result<WriteContext> {
        let credential = match self.authorization {
            Some(authorization) => authorization.await?,
            None => None,
        };
        self.context
            .authorized(credential)
            .await
    }
}

impl Store {
    /// Waits for the authorization of a write, and runs `read` and the search for an earlier
    /// request of the same idempotency key beside it. An error of the authorization comes first,
    /// then the replay, then an error of `read`.
    pub(crate) async fn authorized<T>(
        &self,
        pending: impl Pending,
        read: impl Future<Output = Result<T>>,
    ) -> Result<Created<(WriteContext, T)>> {
        let pending = pending.into();
        let context = pending.context;
        let authorization = pending.authorization;
        let authorization = OptionFuture::from(authorization);
        let (authorized, earlier, read) =
            tokio::join!(authorization, self.earlier_request(&context), read);
        let credential = authorized.transpose()?.flatten();
        match earlier? {
            Some(earlier) => Ok(context.replay(&earlier)),
            None => Ok(Created::New((context.authorized(credential).await?, read?))),
        }
    }
}

impl WriteContext {
    pub fn of_user(
        tenant: Tenant,
        user: UserId,
        conditions: Preconditions,
        idempotency_key: Option<IdempotencyKey>,
    ) -> Self {
        Self {
            actor: Some(user),
            conditions,
            idempotency_key,
            ..tenant.into()
        }
    }

    /// Expects that the record has these fields.
    #[must_use]
    pub fn keeping(self, kept: Fields) -> Self {
        Self { kept, ..self }
    }

    /// Notes that the write guards the organization, if its demand says so.
    #[must_use]
    pub fn guarding(self, demand: Demand) -> Self {
        let guards = self.guards || demand.guards();
        Self { guards, ..self }
    }

    /// As [`guarding`](Self::guarding), of a demand by the records. 403 unless a caller with these
    /// permissions meets it.
    pub(crate) fn demanding(self, demand: Demand, by: &Held) -> Result<Self> {
        by.meets(demand)?;
        Ok(self.guarding(demand))
    }

    /// A write of the operator, with a program of their own.
    pub fn of_operator(tenant: Tenant) -> Self {
        Self {
            is_operator: true,
            ..tenant.into()
        }
    }

    /// The user who writes; `None` for the service itself and for the operator.
    pub(crate) fn author(&self) -> Option<Author> {
        let credential = self.credential.as_ref();
        self.actor.map(|user_id| Author {
            user_id,
            token_id: credential.and_then(|credential| credential.token_id),
        })
    }

    /// Sees what this reader sees.
    #[must_use]
    pub fn within(self, reader: Reader) -> Self {
        Self { reader, ..self }
    }

    /// Adds the credential of the request, if it showed one, and its scope.
    async fn authorized(mut self, credential: Option<EntryCredential>) -> Result<Self> {
        self.credential = credential
            .map(Box::new)
            .or(self.credential);
        self.scope = self.reader.scope().await?;
        Ok(self)
    }

    /// The record, if the writer sees it.
    pub(crate) fn see<R: Placed>(&self, record: Option<Stored<R>>) -> Option<Stored<R>> {
        let seen = InScope::of(record?, &self.scope)?;
        Some(seen.into_stored())
    }

    /// Returns true for a record that the writer sees.
    pub(crate) fn sees(&self, record: &impl Placed) -> bool {
        self.sees_place(record.place())
    }

    /// Returns true for a place that the writer sees.
    pub(crate) fn sees_place(&self, place: Place) -> bool {
        self.scope.sees(place)
    }

    /// The scope of the writer, as new as a record that the write reads.
    pub(crate) async fn renew<R: Placed>(&mut self, store: &Store, record: &R) -> Result<()> {
        let scope = store
            .scoped()
            .newer(self.scope.clone(), self.tenant, [record]);
        self.scope = scope.await?;
        Ok(())
    }

    /// The record to change, as it was read. 404 without one, and out of the writer's scope; 412
    /// unless its version fulfils the conditions, 400 for another value of a field that stays.
    pub(crate) fn current<T: Serialize + Placed>(
        &self,
        record: Option<Stored<T>>,
        noun: &'static str,
    ) -> Result<Stored<T>> {
        let record = self.see(record).or_not_found(noun)?;
        keeps(&self.kept, &record)?;
        self.conditions.judge(record.version)?;
        Ok(record)
    }
}

/// The service's own writes, and those authorized before, need no further authorization.
impl From<OrganizationId> for PendingWrite {
    fn from(tenant: Tenant) -> Self {
        WriteContext::from(tenant).into()
    }
}

/// As [the service's own](OrganizationId).
impl From<WriteContext> for PendingWrite {
    fn from(context: WriteContext) -> Self {
        Self {
            context,
            authorization: None,
        }
    }
}

/// The service itself writes, under no condition.
impl From<OrganizationId> for WriteContext {
    fn from(tenant: Tenant) -> Self {
        Self {
            tenant,
            actor: None,
            credential: None,
            is_operator: false,
            guards: false,
            conditions: Preconditions::default(),
            kept: Fields::new(),
            idempotency_key: None,
            write_id: new_write_id(),
            reader: Reader::service(tenant),
            scope: Arc::new(Scope::Organization),
            head: None,
        }
    }
}
