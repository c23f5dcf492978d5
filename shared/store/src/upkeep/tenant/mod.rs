//! An organization as a whole: the walk of its items, and what uses it: export, import, deletion,
//! erasure of a user, migration, preparation after a restore.

mod checking;
mod deleting;
mod erasing;
mod exporting;
mod import_error;
mod import_file;
mod importing;
mod kinds;
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
use table::{AnyKey, Condition, RawItem, Write};

use crate::{
    Result, Tenant,
    base::store::resource,
    key::{self, Named, Partition},
    table::RawPage,
};

/// Partitions read at the same time.
const CONCURRENCY: usize = 16;

resource! { pub Tenants as tenants }

impl Tenants<'_> {
    /// Calls `visit` with each page of items of these partitions of an organization, and of those
    /// that the items name. The order is always the same. Items come after those of the partitions
    /// they name: an interrupted deletion finds the rest. Reads by Query alone.
    async fn walk(
        &self,
        tenant: Tenant,
        partitions: Vec<Partition>,
        visit: &mut impl AsyncFnMut(Vec<RawItem>) -> Result<()>,
    ) -> Result<()> {
        let mut visited = HashSet::new();
        self.walk_below(tenant, partitions, &mut visited, visit)
            .await
    }

    async fn walk_below(
        &self,
        tenant: Tenant,
        mut partitions: Vec<Partition>,
        visited: &mut HashSet<String>,
        visit: &mut impl AsyncFnMut(Vec<RawItem>) -> Result<()>,
    ) -> Result<()> {
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
                Box::pin(self.walk_below(tenant, below.collect(), visited, visit)).await?;
                visit(items).await?;
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

    /// Deletes items but those with the keys of `kept`. Returns their number.
    async fn delete(&self, items: &[RawItem], kept: &[AnyKey]) -> Result<usize> {
        let mut keys: Vec<AnyKey> = items
            .iter()
            .filter_map(RawItem::key)
            .collect();
        keys.retain(|key| !kept.contains(key));
        let count = keys.len();
        let deletes = keys
            .into_iter()
            .map(|key| Write::delete(key, Condition::default()));
        self.0
            .table
            .write_batch(deletes.collect())
            .await?;
        Ok(count)
    }

    /// The keys of all items of an organization.
    pub async fn keys(&self, tenant: Tenant) -> Result<Vec<AnyKey>> {
        let mut keys = Vec::new();
        let all = key::partitions(tenant);
        let mut note = async |items: Vec<RawItem>| {
            keys.extend(items.iter().filter_map(RawItem::key));
            Ok(())
        };
        self.walk(tenant, all, &mut note)
            .await?;
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
