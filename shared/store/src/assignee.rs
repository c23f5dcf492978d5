//! Who service requests and tickets are assigned to, and what is common to changing them.

use model::{Error, Fault, Id, OrganizationId, Resolution, Timestamp, UserId};

use super::{
    Given, Permit, Store,
    key::{self, AnyKey, Key},
    resolutions,
    table::{Batch, Read, Record, Stored, Write},
};

/// Who is to work on something, if it is said: a user of the same organization.
#[derive(Clone, Debug)]
pub(super) struct Assignee(Option<AnyKey>);

impl Assignee {
    pub(super) fn new(tenant: OrganizationId, named: Option<&UserId>) -> Self {
        Self(named.map(|id| key::user(tenant, *id).into()))
    }

    /// What has to be read to know them.
    pub(super) fn key(&self) -> Option<AnyKey> {
        self.0.clone()
    }

    /// 400 for a user who is not among what was found.
    pub(super) fn known(&self, found: &Batch) -> Result<(), Error> {
        match &self.0 {
            Some(key) if !found.has(key) => {
                Err(Error::invalid(Fault::unknown("assigneeId", UserId::NOUN)))
            }
            _ => Ok(()),
        }
    }
}

impl Store {
    /// Changes a service request or a ticket; `change` answers the resolution that is to be counted,
    /// if it makes one or takes one back, with the instant of the record's creation. 404 when the
    /// record is not the tenant's, 400 when its new assignee is not.
    pub(super) async fn update_assigned<R: Record + Clone>(
        &self,
        permit: Permit,
        key: Key<R>,
        noun: &'static str,
        assignee: Option<UserId>,
        change: impl Fn(&mut R, Timestamp) -> Result<Option<(Timestamp, Resolution)>, Error>,
    ) -> Result<Stored<R>, Error> {
        let tenant = permit.tenant();
        let assignee = Assignee::new(tenant, assignee.as_ref());
        let (key, assignee, change) = (&key, &assignee, &change);
        let read = || {
            let keys = assignee.key().into_iter().chain([AnyKey::from(key)]);
            self.table.batch_get(keys, Read::Consistent)
        };
        let write = |given: Given, found: Batch| async move {
            let before = given.current(found.get(key)?, noun)?;
            assignee.known(&found)?;
            let (mut stored, now) = (before.clone(), self.clock.now());
            let resolution = change(&mut stored.record, now)?;
            let mut writes = vec![Write::replace(&stored)?];
            writes.extend(
                resolution.map(|(created_at, it)| resolutions::count(tenant, created_at, it)),
            );
            writes.extend(given.updated(&before.record, &stored, now)?);
            let (before, after) = (&before.record, Some(&stored.record));
            writes.extend(self.action_follows(&given, before, after, now).await?);
            let done = self.table.transact(writes).await?;
            Ok(done.is_ok().then(|| stored.replaced()))
        };
        permit.rewrite(read, write).await
    }
}
