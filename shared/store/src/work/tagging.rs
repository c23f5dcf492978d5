//! Tags on records. Their ids are a set in the record itself, so that a list shows
//! them without a further read for each row.

use model::{
    base::{AnyOf, Code, Error, FieldChange, HistoryOf, Id, OrNone, TagId, Tagged},
    people::TagRef,
};
use serde_json::json;
use table::{Condition, Key, OrNotFound, UpdateExpression, Write};

use crate::{
    Result,
    base::{
        Pending, idempotency::Created, record::any_keys, records::Tags, store::resource,
        writes::Writes,
    },
    key::{self, Keyed},
};

const MOST: usize = 50;

/// A tag as the answer of its record shows it.
pub type CarriedTag = TagRef;

pub(crate) const TAG_IDS: &str = "tagIds";

resource! { pub Tagging as tagging }

impl Tagging<'_> {
    /// Attaches a tag, or detaches it; no change if that is so already. Returns the version of the
    /// record. 404 when the record or the tag is not the tenant's, 409 when the record would have
    /// more than 50 tags.
    pub async fn set_attached(
        &self,
        pending: impl Pending,
        on: Tagged,
        tag: TagId,
        attached: bool,
    ) -> Result<i64> {
        let (pending, tenant) = pending.with_tenant();
        let record_key = key::tagged(tenant, on);
        let tag_key = tag.key(tenant);
        let noun = on.kind().facts().noun;
        let keys = any_keys![&record_key, &tag_key];
        let mut plan = match self.0.plan_once(pending, keys).await? {
            Created::New(plan) => plan,
            Created::Replayed(_) => return self.version(&record_key, noun).await,
        };
        loop {
            let read = plan.read().await?;
            let stored = plan
                .current(read.get(&record_key)?, noun)
                .await?;
            if !read.has(&tag_key) {
                return Err(Error::NotFound(TagId::NOUN));
            }
            let before = &stored.tag_ids;
            let mut version = stored.version;
            let mut after = before.clone();
            let now = self.0.now();
            let change = UpdateExpression::default().set("updatedAt", now);
            let (changes, change) = if attached {
                (after.insert(tag), change.put_in_set(TAG_IDS, tag))
            } else {
                (after.remove(&tag), change.take_from_set(TAG_IDS, tag))
            };
            let mut writes = Writes::default();
            if changes {
                if after.len() > MOST {
                    let detail = format!("The {noun} has {MOST} tags, the most allowed.");
                    return Err(Error::conflict(Code::TooManyTags, detail));
                }
                let as_read = Condition::version(version);
                version += 1;
                writes.push(Write::update(&record_key, change, as_read));
                let is_there = Write::check(&tag_key, Condition::exists());
                writes.push_or(is_there, Error::NotFound(TagId::NOUN));
                let of = HistoryOf::of(on.kind(), on.id().get());
                let difference = FieldChange::between(TAG_IDS, json!(before), json!(after));
                writes.extend(
                    plan.context
                        .changed(of, version, difference, now)?,
                );
            }
            match plan.commit(writes, version).await? {
                Some(Created::New(version)) => return Ok(version),
                Some(Created::Replayed(_)) => return self.version(&record_key, noun).await,
                None => {}
            }
        }
    }

    /// The version of a record, as it is now.
    async fn version(&self, record: &Key<Tags>, noun: &'static str) -> Result<i64> {
        let record = self.0.read(record).await?;
        Ok(record.or_not_found(noun)?.version)
    }
}

/// Returns `true` for a record with one of the tags of a filter, or without tags where that names
/// `none`.
pub(crate) fn fits(wanted: &AnyOf<OrNone<TagId>>, carried: &[TagRef]) -> bool {
    wanted.names_one_of(carried.iter().map(|tag| &tag.id))
}
