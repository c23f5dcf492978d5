//! An organization as a whole: the walk of its items, and what uses it: export, import, deletion,
//! erasure of a user, migration, preparation after a restore.

mod checking;
mod deleting;
mod erasing;
mod exporting;
mod import_error;
mod import_file;
mod importing;
mod migrating;
mod restoring;

pub use erasing::Erased;
pub use exporting::{ExportHeader, Line};
pub use import_error::ImportError;
pub use importing::Imported;
pub use migrating::Forms;
pub use restoring::CameBack;
use std::collections::HashSet;

use futures::{StreamExt, stream};
use model::{base::Id, people::SuspensionCause};
use serde_json::Value;
use table::{AnyKey, RawItem};

use crate::{
    Result, Tenant,
    base::store::resource,
    key::{self, Named, Partition},
    table::RawPage,
};

/// Partitions read at the same time.
const CONCURRENCY: usize = 16;

resource! { pub Tenants as tenants }

/// Items of one partition of an organization.
pub(crate) struct Found {
    pub(crate) is_exported: bool,
    pub(crate) items: Vec<RawItem>,
}

impl Tenants<'_> {
    /// Calls `each` with all items of an organization, always in the same order. Items come after
    /// those of the partitions they name: an interrupted deletion finds the rest. Reads by Query
    /// alone.
    pub(crate) async fn walk<E>(&self, tenant: Tenant, each: &mut E) -> Result<()>
    where
        E: AsyncFnMut(Found) -> Result<()>,
    {
        let partitions = key::partitions(tenant);
        let mut visited = HashSet::new();
        self.walk_below(tenant, partitions, &mut visited, each)
            .await
    }

    async fn walk_below<E>(
        &self,
        tenant: Tenant,
        partitions: Vec<Partition>,
        visited: &mut HashSet<String>,
        each: &mut E,
    ) -> Result<()>
    where
        E: AsyncFnMut(Found) -> Result<()>,
    {
        let mut partitions = partitions;
        partitions.retain(|partition| visited.insert(partition.key.clone()));
        let first = stream::iter(partitions).map(async |partition| {
            let page = self
                .0
                .table
                .raw_page(&partition.key, None)
                .await;
            (partition, page)
        });
        let mut first = std::pin::pin!(first.buffered(CONCURRENCY));
        while let Some((partition, page)) = first.next().await {
            let mut page = page?;
            loop {
                let RawPage { mut items, end } = page;
                items.retain(|item| is_of(tenant, item));
                let below = items.iter();
                let below = below.flat_map(|item| named(tenant, &partition, item));
                Box::pin(self.walk_below(tenant, below.collect(), visited, each)).await?;
                let is_exported = partition.is_exported;
                each(Found { is_exported, items }).await?;
                let Some(end) = end else {
                    break;
                };
                page = self
                    .0
                    .table
                    .raw_page(&partition.key, Some(&end))
                    .await?;
            }
        }
        Ok(())
    }

    /// Returns true if the organization is being deleted, or does not exist.
    pub async fn is_leaving(&self, tenant: Tenant) -> Result<bool> {
        let key = key::organization(tenant);
        let batch = self.0.batch([&key]).await?;
        // One that does not read is there.
        let suspended = batch
            .named(&key)
            .and_then(|organization| organization.suspended);
        let is_deleted =
            suspended.is_some_and(|suspension| suspension.cause == SuspensionCause::Deletion);
        Ok(is_deleted || !batch.has(&key))
    }

    /// The keys of all items of an organization.
    pub async fn keys(&self, tenant: Tenant) -> Result<Vec<AnyKey>> {
        let mut keys = Vec::new();
        let mut each = async |partition: Found| {
            keys.extend(
                partition
                    .items
                    .iter()
                    .filter_map(RawItem::key),
            );
            Ok(())
        };
        self.walk(tenant, &mut each).await?;
        Ok(keys)
    }
}

/// False for an item of another organization. A former username may be its user's.
fn is_of(tenant: Tenant, item: &RawItem) -> bool {
    let owner = item.number("organizationId");
    owner.is_none_or(|owner| owner == tenant.get())
}

fn named(tenant: Tenant, partition: &Partition, item: &RawItem) -> Vec<Partition> {
    let attributes = item.plain().unwrap_or(Value::Null);
    let Some(key) = item.key() else {
        return Vec::new();
    };
    let named = Named {
        sk: key.sk(),
        attributes: &attributes,
    };
    partition.below(tenant, &named)
}
