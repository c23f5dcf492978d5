//! Create, update and delete, as all resources do it.

use std::future::ready;

use futures::future::OptionFuture;
use model::base::{Deleted, RecordId, Timestamp};
use serde::de::DeserializeOwned;
use table::{Key, OrNotFound, Record, Stored, Write};

use crate::{
    Result, Tenant,
    base::{
        Pending, PendingWrite, Store, WriteContext,
        fields::is_same,
        idempotency::{Created, id_of},
        records::{Cleanup, Workdesk},
        retry::retry,
        store::id_is_taken,
        tracked::Tracked,
        writes::Writes,
    },
    key::Keyed,
    upkeep::CLEANUP_DELAY,
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

    /// As [`one`](Self::one), by its id.
    pub(crate) async fn get<I: Keyed<Record: DeserializeOwned>>(
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
    ) -> Result<Stored<R>> {
        let (pending, tenant) = pending.with_tenant();
        let created = self
            .create_once(pending, read, new)
            .await?;
        let load = async |made| {
            self.get(tenant, id_of::<I>(made)?)
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
    ) -> Result<Created<Stored<R>>> {
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
        let created = Stored::created(record);
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
    ) -> Result<Stored<R>> {
        let (pending, tenant) = pending.with_tenant();
        let key = id.key(tenant);
        let read = || async {
            if R::IS_JOURNALED {
                let (record, head) = Box::pin(self.with_head(&key, tenant)).await?;
                return Ok((record, Some(head)));
            }
            Ok((self.read(&key).await?, None))
        };
        let write = async |mut context: WriteContext, (record, head): (Option<_>, Option<_>)| {
            context.head = head.map(Box::new);
            let before: Stored<R> = self
                .whole(context.current(record, I::NOUN)?)
                .await?;
            let mut after = before.clone();
            let now = self.clock.now();
            let mut writes = change(&context, &mut after.record, now)?;
            writes.note(R::entry_of_change(&before, &after));
            writes.extend(context.updated(&before.record, &after, now)?);
            self.commit_change(&context, before, after, writes)
                .await
        };
        self.write(pending, read, write)
            .await?
            .not_replayed()
    }

    /// Commits the change of a record with what follows from it, and returns the record. A record
    /// that is as it was keeps its version and `updatedAt`: nothing is written but an idempotency
    /// key.
    pub(crate) async fn commit_change<R: Record<Workdesk>>(
        &self,
        context: &WriteContext,
        before: Stored<R>,
        after: Stored<R>,
        mut writes: Writes,
    ) -> Result<Option<Created<Stored<R>>>> {
        if writes.change_nothing() && is_same(&before.record, &after.record)? {
            return self
                .commit(context, writes.into_nothing(), before)
                .await;
        }
        writes.push(if after.version == 0 {
            Write::create(&after.record)?
        } else {
            Write::replace(&after)?
        });
        self.commit(context, writes, after.replaced())
            .await
    }

    /// Deletes a record, and stores the cleanup of those that refer to it. 404 when it is not the
    /// tenant's, 412 at a version that the conditions do not allow. `plan` returns the deleted
    /// record, with further writes.
    pub(crate) async fn delete<R: Tracked, I: Keyed<Record = R>>(
        &self,
        pending: impl Pending,
        id: I,
        plan: impl Fn(&R) -> (Deleted, Writes),
    ) -> Result<()> {
        let allow = |_: &R| ready(Ok(()));
        self.delete_if(pending, id, allow, plan)
            .await
    }

    /// As [`delete`](Self::delete), unless `allow` refuses.
    pub(crate) async fn delete_if<R: Tracked, I: Keyed<Record = R>, A>(
        &self,
        pending: impl Pending,
        id: I,
        allow: impl Fn(&R) -> A,
        plan: impl Fn(&R) -> (Deleted, Writes),
    ) -> Result<()>
    where
        A: Future<Output = Result<()>>,
    {
        let pending = pending.into();
        let key = id.key(pending.tenant());
        let read = || self.read(&key);
        let write = async |context: WriteContext, record: Option<Stored<R>>| {
            let record = context.current(record, I::NOUN)?;
            allow(&record).await?;
            let (deleted, mut writes) = plan(&record);
            writes.push(Write::forget(&record));
            let now = self.clock.now();
            writes.push(Write::put(&Cleanup {
                organization_id: context.tenant,
                subject: deleted,
                deleted_by: context.actor,
                deleting_write: Some(context.write_id.clone()),
                due_at: now.plus(CLEANUP_DELAY),
                walked: None,
                failures: 0,
            })?);
            writes.extend(context.deleted(&record, now)?);
            let follows = self.action_follows(&context, &record.record, None, now);
            writes.extend(follows.await?);
            self.commit(&context, writes, ()).await
        };
        self.write(pending, read, write)
            .await?
            .not_replayed()
    }
}
