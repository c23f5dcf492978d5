//! Tags on tasks and activities: a set of their ids in the record itself, so that a list shows them
//! without reading a partition for each of its rows.

use std::collections::{BTreeSet, HashMap};

use model::{
    ActivityId, AnyOf, Code, Error, FieldChange, HistoryOf, Id, OrNone, OrganizationId, TagId,
    TagRef, TaskId,
};
use serde::Deserialize;

use super::{
    Given, Permit, Store,
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

/// A change of a record's tags, what it expects, and the tags that it leads to.
type Decided = (Change, Condition, BTreeSet<TagId>);

impl Tagged {
    const fn history(self) -> Option<HistoryOf> {
        match self {
            Self::Task(id) => Some(HistoryOf::Task(id)),
            Self::Activity(_) => None,
        }
    }

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
        let attach = async |permit| self.attach_now(permit, on, tag).await;
        permit.into().once(attach, async |_| Ok(())).await
    }

    async fn attach_now(&self, permit: Permit, on: Tagged, tag: TagId) -> Result<(), Error> {
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
            let mut after = tags.tag_ids.clone();
            after.insert(tag);
            Ok(Some((
                Change::default().put_in_set(TAG_IDS, tag),
                room,
                after,
            )))
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
            let mut after = tags.tag_ids.clone();
            Ok(after.remove(&tag).then_some((change, attached, after)))
        };
        self.change(permit, on, tag, detach).await
    }

    /// Does what `decide` makes of the tags that the record carries, which may be nothing. The set
    /// is changed and not replaced, so that other tags may come and go at the same time; where each
    /// change has its number in a history, one after another.
    async fn change(
        &self,
        permit: impl Into<Permit>,
        on: Tagged,
        tag: TagId,
        decide: impl Fn(&Tags) -> Result<Option<Decided>, Error>,
    ) -> Result<(), Error> {
        let permit = permit.into();
        let tenant = permit.tenant();
        let table = &self.0.table;
        let record = &key::tagged(tenant, on);
        let tag = &key::tag(tenant, tag);
        let decide = &decide;
        let read = || table.batch_get([AnyKey::from(record), tag.into()], Read::Consistent);
        let write = |given: Given, found: Batch| async move {
            let tags = given.current(found.get(record)?, on.noun())?;
            let there = found.has(tag).then_some(());
            there.or_not_found(TagId::NOUN)?;
            let Some((change, mut expected, after)) = decide(&tags)? else {
                let done = self.0.commit(&given, Vec::new(), None).await?;
                return Ok(done.ok());
            };
            let now = self.0.clock.now();
            let difference = FieldChange::between(
                TAG_IDS,
                serde_json::json!(tags.tag_ids),
                serde_json::json!(after),
            );
            let entry = given.changed(on.history(), tags.version + 1, difference, now)?;
            if entry.is_some() {
                expected = expected.equals("version", tags.version);
            }
            let mut writes = vec![
                Write::update(record, change.set("updatedAt", now), expected),
                Write::check(tag, Condition::exists()),
            ];
            writes.extend(entry);
            match self.0.commit(&given, writes, None).await? {
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
