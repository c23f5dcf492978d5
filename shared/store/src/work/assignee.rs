//! Assignees of service requests and tickets, and changes of both.

use model::{
    base::{Error, Fault, FaultCode, Id, Timestamp, UserId},
    people::User,
    work::Resolution,
};
use table::{AnyKey, Batch, Key, Stored};

use crate::{
    Result, Tenant,
    base::{Pending, Store, WriteContext, tracked::Tracked, writes::Writes},
    key::Keyed,
    work::resolutions,
};

/// The assignee that a request names, if it names one: an enabled user of the same organization.
#[derive(Clone, Debug)]
pub(crate) struct Assignee(Option<(UserId, Key<User>)>);

impl Assignee {
    pub(crate) fn new(tenant: Tenant, named: Option<&UserId>) -> Self {
        Self(named.map(|id| (*id, id.key(tenant))))
    }

    /// The key that [`fault`](Self::fault) needs.
    pub(crate) fn key(&self) -> Option<AnyKey> {
        self.0
            .as_ref()
            .map(|(_, key)| key.into())
    }

    /// Returns the fault of an assignee who is not in `batch`, or who is disabled and not the
    /// assignee `before`.
    pub(crate) fn fault(&self, batch: &Batch, before: Option<UserId>) -> Option<Fault> {
        let (id, key) = self.0.as_ref()?;
        if !batch.has(key) {
            return Some(Fault::unknown("assigneeId", UserId::NOUN));
        }
        let is_disabled = batch
            .named(key)
            .is_some_and(|user| user.disabled);
        (is_disabled && before != Some(*id)).then(|| {
            let detail = format!("User {id} is disabled. Send the id of an enabled user.");
            Fault::at("assigneeId", FaultCode::Unknown, detail)
        })
    }

    /// 400 for an assignee with a fault.
    pub(crate) fn known(&self, batch: &Batch, before: Option<UserId>) -> Result<()> {
        self.fault(batch, before)
            .map_or(Ok(()), |fault| Err(Error::invalid(fault)))
    }
}

impl Store {
    /// Changes a service request or a ticket. `change` returns the resolution to count, made or
    /// taken back, with the instant of the record's creation. 404 when the record is not the
    /// tenant's, 400 when its new assignee is not, or is disabled.
    pub(crate) async fn update_assigned<R: Tracked + Clone, I: Keyed<Record = R>>(
        &self,
        pending: impl Pending,
        id: I,
        assignee: Option<UserId>,
        current: fn(&R) -> Option<UserId>,
        change: impl Fn(&mut R, Timestamp) -> Result<Option<(Timestamp, Resolution)>>,
    ) -> Result<Stored<R>> {
        let (pending, tenant) = pending.with_tenant();
        let key = id.key(tenant);
        let assignee = Assignee::new(tenant, assignee.as_ref());
        let read = || {
            self.batch(
                assignee
                    .key()
                    .into_iter()
                    .chain([AnyKey::from(&key)]),
            )
        };
        let write = async |context: WriteContext, batch: Batch| {
            let before = context.current(batch.get(&key)?, I::NOUN)?;
            let before = self.whole(before).await?;
            assignee.known(&batch, current(&before))?;
            let mut stored = before.clone();
            let now = self.clock.now();
            let resolution = change(&mut stored.record, now)?;
            let mut writes = Writes::default();
            writes.extend(
                resolution.map(|(at, resolution)| resolutions::count(tenant, at, resolution)),
            );
            writes.extend(context.updated(&before.record, &stored, now)?);
            let follows = self.action_follows(&context, &before.record, Some(&stored.record), now);
            writes.extend(follows.await?);
            self.commit_change(&context, before, stored, writes)
                .await
        };
        self.write(pending, read, write)
            .await?
            .not_replayed()
    }
}
