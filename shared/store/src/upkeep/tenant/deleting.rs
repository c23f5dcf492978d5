//! The deletion of an organization.

use model::{
    base::Error,
    people::{Organization, Suspension, SuspensionCause},
};
use table::{Condition, OrLeave, RawItem, Stored, Write};

use crate::{
    Result, Tenant,
    base::{
        record::{any_keys, record},
        records::Tombstone,
    },
    key,
};

use super::Tenants;

record! { tombstone: Tombstone = "tombstone", key: key::tombstone(tombstone.id), }

impl Tenants<'_> {
    /// Begins the deletion of a suspended organization: from now on its changes have no effects.
    pub async fn begin_deletion(&self, organization: &Stored<Organization>) -> Result<()> {
        let mut leaving = organization.clone();
        leaving.suspended = organization
            .suspended
            .map(|suspension| Suspension {
                cause: SuspensionCause::Deletion,
                ..suspension
            });
        let done = self
            .0
            .table
            .write(Write::replace(&leaving)?)
            .await?;
        done.map_err(|_| Error::contended())
    }

    /// Deletes all items of an organization but its own record and its tombstone. Returns their
    /// number. Can begin again after an interruption, and finds the rest.
    pub async fn delete_items(
        &self,
        tenant: Tenant,
        report: &mut impl FnMut(usize),
    ) -> Result<usize> {
        let last = any_keys![key::organization(tenant), key::tombstone(tenant)];
        let mut count = 0;
        let all = key::partitions(tenant);
        let mut delete = async |items: Vec<RawItem>| {
            count += self.delete(&items, &last).await?;
            report(count);
            Ok(())
        };
        self.walk(tenant, all, &mut delete)
            .await?;
        Ok(count)
    }

    /// Replaces the record of an organization, which has no other items, by its tombstone.
    pub async fn bury(&self, tenant: Tenant) -> Result<()> {
        let tombstone = Tombstone {
            id: tenant,
            deleted_at: self.0.now(),
        };
        let writes = vec![
            Write::put(&tombstone)?,
            Write::delete(key::organization(tenant), Condition::default()),
        ];
        self.0
            .table
            .transact(writes)
            .await?
            .or_leave();
        Ok(())
    }

    pub async fn is_deleted(&self, tenant: Tenant) -> Result<bool> {
        Ok(self
            .0
            .read(&key::tombstone(tenant))
            .await?
            .is_some())
    }
}
