//! Create, update and delete, as all resources do it.

use std::future::ready;

use futures::future::OptionFuture;
use model::base::{Deleted, RecordId, Timestamp};
use serde::de::DeserializeOwned;
use table::{AnyKey, Key, OrNotFound, Stored, Write};

use crate::{
    Result, Tenant,
    base::{
        InScope, Pending, PendingWrite, Store, WriteContext,
        idempotency::{Created, id_of},
        retry::retry,
        scope::Unplaced,
        store::id_is_taken,
        tracked::Tracked,
        writes::Writes,
    },
    key::{self, Keyed},
};

impl Store {
    /// A record as it is at this moment, with its long text. 404 when it is not there, by that
    /// name.
    pub(crate) async fn one<R: DeserializeOwned>(
        &self,
        key: &Key<R>,
        noun: &'static str,
    ) -> Result<Stored<R>> {
        let record = self.read(key).await?;
        self.whole(record.or_not_found(noun)?)
            .await
    }

    /// As [`one`](Self::one), by its id, of a record that needs no scope.
    pub(crate) async fn get<I: Keyed<Record: DeserializeOwned + Unplaced>>(
        &self,
        tenant: Tenant,
        id: I,
    ) -> Result<Stored<I::Record>> {
        self.one(&id.key(tenant), I::NOUN).await
    }

    /// Reads beside the authorization, then writes; `write` ends with [`commit`](Self::commit).
    /// Reads again and writes again after a conflict; 409 after eight.
    pub(crate) async fn write<F, T, R, W>(
        &self,
        pending: impl Pending,
        read: impl Fn() -> R,
        write: impl Fn(WriteContext, F) -> W,
    ) -> Result<Created<T>>
    where
        R: Future<Output = Result<F>>,
        W: Future<Output = Result<Option<Created<T>>>>,
    {
        match self.authorized(pending, read()).await? {
            Created::New((context, records)) => {
                retry(records, read, |records| write(context.clone(), records)).await
            }
            Created::Replayed(made) => Ok(Created::Replayed(made)),
        }
    }

    /// Reads for a request that writes nothing but its idempotency key. A replay reads again.
    pub(crate) async fn read_only<T, R: Future<Output = Result<T>>>(
        &self,
        pending: PendingWrite,
        read: impl Fn() -> R,
    ) -> Result<T> {
        let write = async |context: WriteContext, records| {
            self.commit(&context, Writes::default(), records)
                .await
        };
        let done = self
            .write(pending, &read, write)
            .await?;
        done.or_load(async |_| read().await)
            .await
    }

    /// Creates a record with its history; a replay loads the record of the first request. `new`
    /// makes it of the context, its id, the outcome of `read` and the time, with further writes.
    pub(crate) async fn create<R: Tracked, I: Keyed<Record = R>, F>(
        &self,
        pending: impl Pending,
        read: impl Future<Output = Result<F>>,
        new: impl FnOnce(&WriteContext, I, F, Timestamp) -> Result<(R, Writes)>,
    ) -> Result<InScope<R>> {
        let (pending, reader) = pending.with_reader();
        let created = self
            .create_once(pending, read, new)
            .await?;
        let load = async |made| {
            self.scoped()
                .get(&reader, id_of::<I>(made)?)
                .await
        };
        created.or_load(load).await
    }

    /// As [`create`](Self::create), without loading the record of a replay.
    pub(crate) async fn create_once<R: Tracked, I: RecordId, F>(
        &self,
        pending: impl Pending,
        read: impl Future<Output = Result<F>>,
        new: impl FnOnce(&WriteContext, I, F, Timestamp) -> Result<(R, Writes)>,
    ) -> Result<Created<InScope<R>>> {
        let (pending, tenant) = pending.with_tenant();
        let head = async {
            let head = R::IS_JOURNALED.then(|| Box::pin(self.head(tenant)));
            OptionFuture::from(head)
                .await
                .transpose()
        };
        // All end, also after an error, so that no id is lost on its way.
        let read = async {
            let (id, records, head) = tokio::join!(self.next_id(), Box::pin(read), head);
            Ok((id?, records?, head?))
        };
        let (mut context, (id, records, head)) = match self.authorized(pending, read).await? {
            Created::New(authorized) => authorized,
            Created::Replayed(made) => return Ok(Created::Replayed(made)),
        };
        context.head = head.map(Box::new);
        let id = id.used();
        let now = self.clock.now();
        let (record, mut writes) = new(&context, id, records, now)?;
        writes.note(record.entry_of_new());
        writes.push(Write::create(&record)?);
        writes.extend(context.created(&record, now)?);
        let created = InScope::written(Stored::created(record));
        let done = self
            .commit(&context, writes.making(id), created)
            .await?;
        done.ok_or_else(|| id_is_taken(R::KIND))
    }

    /// Changes a record, and adds to its history. 404 when it is not the tenant's, 412 at a version
    /// that the conditions do not allow. `change` returns further writes, and may refuse.
    pub(crate) async fn update<R: Tracked + Clone, I: Keyed<Record = R>>(
        &self,
        pending: impl Pending,
        id: I,
        change: impl Fn(&WriteContext, &mut R, Timestamp) -> Result<Writes>,
    ) -> Result<InScope<R>> {
        let (pending, tenant) = pending.with_tenant();
        let head = R::IS_JOURNALED.then(|| key::organization_head(tenant).into());
        let keys = [AnyKey::from(id.key(tenant))]
            .into_iter()
            .chain(head);
        let mut plan = self.plan(pending, keys).await?;
        loop {
            let read = plan.read().await?;
            let mut draft = plan.draft(&read, id).await?;
            draft.writes = change(&plan.context, &mut draft.after.record, draft.now)?;
            if let Some(done) = plan.write(draft).await? {
                return done.not_replayed();
            }
        }
    }

    /// Deletes a record, and stores the cleanup of those that refer to it. 404 when it is not the
    /// tenant's, 412 at a version that the conditions do not allow. `what` returns the deleted
    /// record, with further writes.
    pub(crate) async fn delete<R: Tracked, I: Keyed<Record = R>>(
        &self,
        pending: impl Pending,
        id: I,
        what: impl Fn(&R) -> (Deleted, Writes),
    ) -> Result<()> {
        let allow = |_: &R| ready(Ok(()));
        self.delete_if(pending, id, allow, what)
            .await
    }

    /// As [`delete`](Self::delete), unless `allow` refuses.
    pub(crate) async fn delete_if<R: Tracked, I: Keyed<Record = R>, A>(
        &self,
        pending: impl Pending,
        id: I,
        allow: impl Fn(&R) -> A,
        what: impl Fn(&R) -> (Deleted, Writes),
    ) -> Result<()>
    where
        A: Future<Output = Result<()>>,
    {
        let (pending, tenant) = pending.with_tenant();
        let key = id.key(tenant);
        let mut plan = self.plan(pending, [&key]).await?;
        loop {
            let read = plan.read().await?;
            let record = plan
                .current(read.get(&key)?, I::NOUN)
                .await?;
            allow(&record).await?;
            let (deleted, writes) = what(&record);
            if let Some(done) = plan
                .delete(&record, deleted, writes)
                .await?
            {
                return done.not_replayed();
            }
        }
    }
}
