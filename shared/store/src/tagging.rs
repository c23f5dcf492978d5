//! Tags on tasks and activities: a set of their ids in the record itself, so that a list shows them
//! without reading a partition for each of its rows.

use std::collections::{BTreeSet, HashMap};

use model::{ActivityId, AnyOf, Code, Error, Id, OrNone, OrganizationId, TagId, TagRef, TaskId};
use serde::Deserialize;

use super::{
    Permit, Store,
    key::{self, AnyKey},
    table::{Batch, Change, Condition, OrNotFound, Read, Write},
};

/// The most tags that a record carries.
const MOST: usize = 50;

/// The attribute that has them.
pub(super) const TAG_IDS: &str = "tagIds";

/// Tags on tasks and activities.
#[derive(Clone, Copy, Debug)]
pub struct Tagging<'a>(pub(super) &'a Store);

/// What carries tags.
#[derive(Clone, Copy, Debug)]
pub enum Tagged {
    /// A task.
    Task(TaskId),
    /// An activity.
    Activity(ActivityId),
}

/// The tags of a record of any kind, deleted ones among them for a while.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Tags {
    #[serde(default)]
    tag_ids: BTreeSet<TagId>,
}

impl From<TaskId> for Tagged {
    fn from(id: TaskId) -> Self {
        Self::Task(id)
    }
}

impl From<ActivityId> for Tagged {
    fn from(id: ActivityId) -> Self {
        Self::Activity(id)
    }
}

impl Tagged {
    const fn noun(self) -> &'static str {
        match self {
            Self::Task(_) => TaskId::NOUN,
            Self::Activity(_) => ActivityId::NOUN,
        }
    }
}

impl Tagging<'_> {
    /// Attaches a tag; one that is attached already changes nothing. 404 when the record or the tag
    /// is not the tenant's, 409 when the record carries 50 others.
    pub async fn attach(
        &self,
        permit: impl Into<Permit>,
        on: Tagged,
        tag: TagId,
    ) -> Result<(), Error> {
        let attach = |tags: &Tags| {
            if tags.tag_ids.contains(&tag) {
                return Ok(None);
            }
            if tags.tag_ids.len() >= MOST {
                let detail = format!(
                    "The {} carries {MOST} tags, which is as many as it can.",
                    on.noun()
                );
                return Err(Error::conflict(Code::TooManyTags, detail));
            }
            let room = Condition::exists()
                .not_in_set(TAG_IDS, tag)
                .set_below(TAG_IDS, MOST);
            Ok(Some((Change::default().put_in_set(TAG_IDS, tag), room)))
        };
        self.change(permit, on, tag, attach).await
    }

    /// Detaches a tag; one that is not attached changes nothing. 404 when the record or the tag is
    /// not the tenant's.
    pub async fn detach(
        &self,
        permit: impl Into<Permit>,
        on: Tagged,
        tag: TagId,
    ) -> Result<(), Error> {
        let detach = |tags: &Tags| {
            let change = Change::default().take_from_set(TAG_IDS, tag);
            let attached = Condition::exists().in_set(TAG_IDS, tag);
            Ok(tags.tag_ids.contains(&tag).then_some((change, attached)))
        };
        self.change(permit, on, tag, detach).await
    }

    /// Does what `decide` makes of the tags that the record carries, which may be nothing. The set
    /// is changed and not replaced, so that other tags may come and go at the same time.
    async fn change(
        &self,
        permit: impl Into<Permit>,
        on: Tagged,
        tag: TagId,
        decide: impl Fn(&Tags) -> Result<Option<(Change, Condition)>, Error>,
    ) -> Result<(), Error> {
        let permit = permit.into();
        let tenant = permit.tenant();
        let table = &self.0.table;
        let record = &key::tagged(tenant, on);
        let tag = &key::tag(tenant, tag);
        let decide = &decide;
        let read = || table.batch_get([AnyKey::from(record), tag.into()], Read::Consistent);
        let write = |found: Batch| async move {
            let tags = found.get(record)?.or_not_found(on.noun())?;
            let there = found.has(tag).then_some(());
            there.or_not_found(TagId::NOUN)?;
            let Some((change, expected)) = decide(&tags)? else {
                return Ok(Some(()));
            };
            let change = change.set("updatedAt", self.0.clock.now());
            let writes = vec![
                Write::update(record, change, expected),
                Write::check(tag, Condition::exists()),
            ];
            match table.transact(writes).await? {
                Err(refused) if refused.at(1) => Err(Error::NotFound(TagId::NOUN)),
                done => Ok(done.ok()),
            }
        };
        permit.rewrite(read, write).await
    }
}

/// The keys of tags that records carry, each once.
pub(super) fn keys<'a>(
    tenant: OrganizationId,
    carried: impl Iterator<Item = &'a BTreeSet<TagId>>,
) -> impl Iterator<Item = AnyKey> {
    let distinct: BTreeSet<TagId> = carried.flatten().copied().collect();
    distinct
        .into_iter()
        .map(move |id| key::tag(tenant, id).into())
}

/// The tags that records carry, out of what was found under their [`keys`].
pub(super) fn found<'a>(
    tenant: OrganizationId,
    carried: impl Iterator<Item = &'a BTreeSet<TagId>>,
    found: &Batch,
) -> HashMap<TagId, TagRef> {
    found.all(carried.flatten().copied(), |id| key::tag(tenant, id))
}

/// Whether a record fits by the tags that it carries.
pub(super) fn fits(asked: &AnyOf<OrNone<TagId>>, carried: &[TagRef]) -> bool {
    let mut tags = carried.iter();
    tags.any(|tag| asked.names(Some(&tag.id))) || (carried.is_empty() && asked.names(None))
}

/// The tags that a record carries, by id, of those that are there: a deleted one is carried by
/// nothing from that moment on.
pub(super) fn carried(ids: &BTreeSet<TagId>, there: &HashMap<TagId, TagRef>) -> Vec<TagRef> {
    ids.iter().filter_map(|id| there.get(id).cloned()).collect()
}
