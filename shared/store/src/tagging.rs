//! Tags on tasks and activities. Their ids are a set in the record itself, so that a list shows them
//! without a further read for each row.

use std::collections::{BTreeSet, HashMap};

use model::{
    AnyOf, Code, Error, FieldChange, HistoryOf, Id, OrNone, OrganizationId, TagId, TagRef, Tagged,
};
use serde_json::json;

use super::{
    PendingWrite, WriteContext,
    key::{self, AnyKey},
    store::resource,
    table::{Batch, Change, Condition, OrNotFound, Read, Stored, Write},
    writes::Writes,
};

const MOST: usize = 50;

pub(super) const TAG_IDS: &str = "tagIds";

resource! {
    pub Tagging as tagging
}

impl Tagging<'_> {
    /// Attaches a tag; no change if it is attached already. Returns the version of the record. 404 when the
    /// record or the tag is not the tenant's, 409 when the record has 50 other tags.
    pub async fn attach(
        &self,
        pending: impl Into<PendingWrite>,
        on: Tagged,
        tag: TagId,
    ) -> Result<i64, Error> {
        self.set_attached(pending, on, tag, true).await
    }

    /// Detaches a tag; no change if it is not attached. Returns the version of the record. 404 when the
    /// record or the tag is not the tenant's.
    pub async fn detach(
        &self,
        pending: impl Into<PendingWrite>,
        on: Tagged,
        tag: TagId,
    ) -> Result<i64, Error> {
        self.set_attached(pending, on, tag, false).await
    }

    /// Adds a tag to the set, or removes it.
    async fn set_attached(
        &self,
        pending: impl Into<PendingWrite>,
        on: Tagged,
        tag: TagId,
        attached: bool,
    ) -> Result<i64, Error> {
        let pending = pending.into();
        let tenant = pending.tenant();
        let (record_key, tag_key) = (key::tagged(tenant, on), key::tag(tenant, tag));
        let read = || {
            let keys = [AnyKey::from(&record_key), AnyKey::from(&tag_key)];
            self.0.table.batch_get(keys, Read::Consistent)
        };
        let write = async |context: WriteContext, found: Batch| {
            let Stored {
                record, version, ..
            } = context.current(found.get(&record_key)?, on.kind().facts().noun)?;
            found
                .has(&tag_key)
                .then_some(())
                .or_not_found(TagId::NOUN)?;
            let (before, mut after) = (record.tag_ids.clone(), record.tag_ids);
            let change = Change::default();
            let (changes, change) = if attached {
                (after.insert(tag), change.put_in_set(TAG_IDS, tag))
            } else {
                (after.remove(&tag), change.take_from_set(TAG_IDS, tag))
            };
            if !changes {
                return self.0.commit(&context, Writes::default(), version).await;
            }
            if after.len() > MOST {
                return Err(too_many(on));
            }
            let now = self.0.clock.now();
            let difference = FieldChange::between(TAG_IDS, json!(before), json!(after));
            let change = change.set("updatedAt", now);
            let as_read = Condition::version(version);
            let mut writes = Writes::default();
            writes.push(Write::update(&record_key, change, as_read));
            let is_there = Write::check(&tag_key, Condition::exists());
            writes.push_or(is_there, Error::NotFound(TagId::NOUN));
            writes.extend(context.changed(
                HistoryOf::of(on.kind(), on.id().get()),
                version + 1,
                difference,
                now,
            )?);
            self.0.commit(&context, writes, version + 1).await
        };
        let done = self.0.write(pending, read, write).await?;
        let load = async |_| {
            let found = self.0.table.get(&record_key, Read::Consistent).await?;
            Ok(found.or_not_found(on.kind().facts().noun)?.version)
        };
        done.or_load(load).await
    }
}

fn too_many(on: Tagged) -> Error {
    let detail = format!(
        "The {} has {MOST} tags, the most allowed.",
        on.kind().facts().noun
    );
    Error::conflict(Code::TooManyTags, detail)
}

/// The keys of records' tags, each once.
pub(super) fn keys<'a>(
    tenant: OrganizationId,
    carried: impl Iterator<Item = &'a BTreeSet<TagId>>,
) -> impl Iterator<Item = AnyKey> {
    let distinct: BTreeSet<TagId> = carried.flatten().copied().collect();
    distinct
        .into_iter()
        .map(move |id| key::tag(tenant, id).into())
}

/// Records' tags, by id, among what was found under their [`keys`].
pub(super) fn found<'a>(
    tenant: OrganizationId,
    carried: impl Iterator<Item = &'a BTreeSet<TagId>>,
    found: &Batch,
) -> HashMap<TagId, TagRef> {
    found.all(carried.flatten().copied(), |id| key::tag(tenant, id))
}

/// Returns `true` for a record with one of the tags of a filter, or without tags where that names `none`.
pub(super) fn fits(wanted: &AnyOf<OrNone<TagId>>, carried: &[TagRef]) -> bool {
    let mut tags = carried.iter();
    tags.any(|tag| wanted.names(Some(&tag.id))) || (carried.is_empty() && wanted.names(None))
}

/// The tags of a record, by id, of those that exist. A deleted tag is gone from all records at once.
pub(super) fn carried(ids: &BTreeSet<TagId>, there: &HashMap<TagId, TagRef>) -> Vec<TagRef> {
    ids.iter().filter_map(|id| there.get(id).cloned()).collect()
}
