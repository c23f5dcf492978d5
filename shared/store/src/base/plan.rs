//! Writes that read, decide, and write on the condition that what they read is unchanged.

use model::base::{Deleted, Error, Timestamp};
use serde::{Serialize, de::DeserializeOwned};
use table::{AnyKey, Batch, Record, Stored, Write, back_off};

use crate::{
    Result,
    base::{
        InScope, Pending, Store, WriteContext,
        fields::is_same,
        idempotency::Created,
        records::{Cleanup, Workdesk},
        retry::ATTEMPTS,
        scope::Placed,
        tracked::Tracked,
        writes::Writes,
    },
    key::Keyed,
    people::journal::head_in,
    upkeep::CLEANUP_DELAY,
};

/// The plan of a write: what it reads, its authorized context, and its attempts.
///
/// An operation is a loop of attempts, which a written value ends. Each one reads, decides, and
/// writes. After a conflict, the next attempt reads again.
pub(crate) struct WritePlan<'a> {
    pub(crate) context: WriteContext,
    store: &'a Store,
    /// The keys of the items that it reads, in one batch.
    keys: Vec<AnyKey>,
    /// The items of the first attempt, read beside the authorization.
    first: Option<Batch>,
    conflicts: u32,
}

/// A record that an attempt changes.
pub(crate) struct Draft<R> {
    /// The record as it was read, with its long text.
    pub(crate) before: Stored<R>,
    pub(crate) after: Stored<R>,
    /// The instant of the change.
    pub(crate) now: Timestamp,
    /// Further writes of the same transaction.
    pub(crate) writes: Writes,
}

impl Store {
    /// Plans a write that depends on the items of these keys. Reads them beside the authorization.
    pub(crate) async fn plan(
        &self,
        pending: impl Pending,
        keys: impl IntoIterator<Item = impl Into<AnyKey>>,
    ) -> Result<WritePlan<'_>> {
        let plan = self.plan_once(pending, keys).await?;
        plan.not_replayed()
    }

    /// As [`plan`](Self::plan), of an operation that takes an idempotency key.
    pub(crate) async fn plan_once(
        &self,
        pending: impl Pending,
        keys: impl IntoIterator<Item = impl Into<AnyKey>>,
    ) -> Result<Created<WritePlan<'_>>> {
        let keys: Vec<AnyKey> = keys
            .into_iter()
            .map(Into::into)
            .collect();
        let first = self.batch(keys.iter().cloned());
        let authorized = self.authorized(pending, first).await?;
        Ok(authorized.map(|(context, first)| WritePlan {
            context,
            store: self,
            keys,
            first: Some(first),
            conflicts: 0,
        }))
    }
}

impl WritePlan<'_> {
    /// Reads the items for the next attempt. 409 after eight conflicts.
    pub(crate) async fn read(&mut self) -> Result<Batch> {
        if let Some(first) = self.first.take() {
            return Ok(first);
        }
        self.conflicts += 1;
        if self.conflicts == ATTEMPTS {
            return Err(Error::contended());
        }
        // One conflict is usual, and needs no pause.
        if self.conflicts > 1 {
            back_off(self.conflicts - 1).await;
        }
        self.store
            .batch(self.keys.iter().cloned())
            .await
    }

    /// The record of an id, to be changed. 404 without one, 412 unless its version fulfils the
    /// conditions, 400 for another value of a field that stays.
    pub(crate) async fn draft<I: Keyed>(&mut self, read: &Batch, id: I) -> Result<Draft<I::Record>>
    where
        I::Record: Tracked + Clone,
    {
        let tenant = self.context.tenant;
        if I::Record::IS_JOURNALED {
            self.context.head = Some(Box::new(head_in(read, tenant)?));
        }
        self.draft_of(read.get(&id.key(tenant))?, I::NOUN)
            .await
    }

    /// As [`draft`](Self::draft), of a record that was read.
    pub(crate) async fn draft_of<R: Clone + Serialize + DeserializeOwned + Placed>(
        &mut self,
        record: Option<Stored<R>>,
        noun: &'static str,
    ) -> Result<Draft<R>> {
        let before = self.current(record, noun).await?;
        let before = self.store.whole(before).await?;
        Ok(Draft {
            after: before.clone(),
            before,
            now: self.store.now(),
            writes: Writes::default(),
        })
    }

    /// The record to change, as [`WriteContext::current`] says.
    pub(crate) async fn current<R: Serialize + Placed>(
        &mut self,
        record: Option<Stored<R>>,
        noun: &'static str,
    ) -> Result<Stored<R>> {
        if let Some(record) = &record {
            self.renew(&record.record).await?;
        }
        self.context.current(record, noun)
    }

    /// Makes the scope of the writer as new as a record.
    pub(crate) async fn renew(&mut self, record: &impl Placed) -> Result<()> {
        self.context
            .renew(self.store, record)
            .await
    }

    /// Writes a changed record, with its history and all that follows from the change. Returns the
    /// record; `None` on a conflict. A record that is as it was keeps its version and `updatedAt`:
    /// nothing is written but an idempotency key.
    pub(crate) async fn write<R: Tracked>(
        &self,
        draft: Draft<R>,
    ) -> Result<Option<Created<InScope<R>>>> {
        let Draft {
            before,
            after,
            now,
            mut writes,
        } = draft;
        writes.note(R::entry_of_change(&before, &after));
        writes.extend(
            self.context
                .updated(&before.record, &after, now)?,
        );
        let follows =
            self.store
                .action_follows(&self.context, &before.record, Some(&after.record), now);
        writes.extend(follows.await?);
        let done = self
            .store
            .commit_change(&self.context, before, after, writes)
            .await?;
        Ok(done.map(|written| written.map(InScope::written)))
    }

    /// Deletes a record, and stores the cleanup of those that refer to it. `None` on a conflict.
    pub(crate) async fn delete<R: Tracked>(
        &self,
        record: &Stored<R>,
        deleted: Deleted,
        mut writes: Writes,
    ) -> Result<Option<Created<()>>> {
        let now = self.store.now();
        writes.push(Write::forget(record));
        writes.push(Write::put(&Cleanup {
            organization_id: self.context.tenant,
            subject: deleted,
            deleted_by: self.context.actor,
            deleting_write: Some(self.context.write_id.clone()),
            due_at: now.plus(CLEANUP_DELAY),
            walked: None,
            failures: 0,
        })?);
        writes.extend(self.context.deleted(record, now)?);
        let follows = self
            .store
            .action_follows(&self.context, &record.record, None, now);
        writes.extend(follows.await?);
        self.commit(writes, ()).await
    }

    /// Commits writes. Returns `value`; `None` on a conflict.
    pub(crate) async fn commit<T>(
        &self,
        writes: impl Into<Writes>,
        value: T,
    ) -> Result<Option<Created<T>>> {
        self.store
            .commit(&self.context, writes, value)
            .await
    }
}

impl Store {
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
}
