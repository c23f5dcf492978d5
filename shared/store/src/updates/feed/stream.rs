//! Records of the table's stream, and the entries of the change feed that follow from them.

#[cfg(test)]
mod tests;

use agent::action::AgentAction;
use model::{
    base::{
        AgentSessionId, FeedType, Id, OrganizationId, ProjectId, RecordName, RecordType, Timestamp,
        UnlistedKind, UserId,
    },
    updates::{FeedAction, FeedEntry},
};
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::Value;
use table::{COPIED, RawItem, Record, Stored};

use crate::{Result, base::records::Author};

use super::image::{Image, fields, record};

/// Attributes of an approved action that tell when workers and the sweeper visit it.
const SCHEDULE: &[&str] = &["schedule", "token"];

/// A record of the table's stream.
#[derive(Clone, Debug, Deserialize)]
pub struct StreamRecord {
    #[serde(rename = "dynamodb")]
    change: ItemChange,
    #[serde(rename = "eventSourceARN")]
    stream_arn: Option<String>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct ItemChange {
    sequence_number: String,
    /// Seconds since the Unix epoch.
    approximate_creation_date_time: f64,
    #[serde(default)]
    keys: Image,
    #[serde(default)]
    old_image: Option<Image>,
    #[serde(default)]
    new_image: Option<Image>,
}

/// An image does not read. Holds the item's key.
#[derive(Debug, thiserror::Error)]
#[error("the image of {0} does not read")]
pub struct UnreadableImage(String);

#[derive(Clone, Debug)]
pub struct FeedChange {
    pub organization_id: OrganizationId,
    /// The entry of the change feed. That of a removed item has no actor, since no write names one.
    pub entry: FeedEntry,
    before: Option<Value>,
    after: Option<Value>,
}

impl FeedChange {
    /// A record that is there, as if it had just been created. `None` for one that does not read,
    /// and for a
    /// deleted comment or message.
    pub(crate) fn of_existing(stored: Stored<Value>, now: Timestamp) -> Option<Self> {
        let record = stored.record;
        let version = stored.version;
        let kind = FeedType::deserialize(&record["kind"]).ok()?;
        let changed: Changed = read(&record).ok()?;
        if changed.deleted_at.is_some() {
            return None;
        }
        let action = FeedAction::Created;
        Some(Self {
            organization_id: changed.organization_id,
            entry: changed
                .entry(kind, &record, action, version, now)
                .ok()?,
            before: None,
            after: Some(record),
        })
    }

    /// The record before the change and after it, as far as there is one.
    pub(crate) fn images_mut(&mut self) -> impl Iterator<Item = &mut Value> {
        [&mut self.before, &mut self.after]
            .into_iter()
            .flatten()
    }

    /// Reads the record as it was before. `None` for a new one, and for an image that is no such
    /// record.
    pub fn before<R: DeserializeOwned>(&self) -> Option<R> {
        R::deserialize(self.before.as_ref()?).ok()
    }

    /// Reads the record as it is after. `None` for a removed one, and for an image that is no such
    /// record.
    pub fn after<R: DeserializeOwned>(&self) -> Option<R> {
        R::deserialize(self.after.as_ref()?).ok()
    }
}

/// A change of an item that the feed does not have.
#[derive(Clone, Debug)]
pub struct UnlistedChange {
    pub organization_id: OrganizationId,
    pub kind: UnlistedKind,
    /// The version that the change led to.
    pub version: i64,
    /// The user who made the change; `None` for the service itself.
    pub actor: Option<UserId>,
    pub write_id: Option<String>,
    before: Option<Value>,
    after: Value,
}

impl UnlistedChange {
    /// Reads the item as it was before, as [`FeedChange::before`] does.
    pub fn before<R: DeserializeOwned>(&self) -> Option<R> {
        R::deserialize(self.before.as_ref()?).ok()
    }

    pub fn after<R: DeserializeOwned>(&self) -> Option<R> {
        R::deserialize(&self.after).ok()
    }
}

/// A change of an item that consumers of the stream handle.
#[derive(Clone, Debug)]
pub enum StreamItem {
    Listed(Box<FeedChange>),
    Unlisted(Box<UnlistedChange>),
}

impl StreamItem {
    pub fn organization(&self) -> OrganizationId {
        match self {
            Self::Listed(change) => change.organization_id,
            Self::Unlisted(change) => change.organization_id,
        }
    }
}

/// The attributes of every item that a change is made of.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ChangedItem {
    organization_id: OrganizationId,
    version: i64,
    written_by: Option<Author>,
    write_id: Option<String>,
}

/// The attributes that an entry is made of.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Changed {
    id: i64,
    organization_id: OrganizationId,
    version: Option<i64>,
    written_by: Option<Author>,
    write_id: Option<String>,
    project_id: Option<ProjectId>,
    /// Of a message that is an internal note.
    #[serde(default)]
    internal: bool,
    /// Of a comment or a message, which stays in its thread without its text.
    deleted_at: Option<Timestamp>,
}

/// The attributes of an approved action that an entry is made of.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ChangedAction {
    organization_id: OrganizationId,
    session_id: AgentSessionId,
    action_id: String,
    version: i64,
    written_by: Option<Author>,
    write_id: Option<String>,
}

/// The record before a change, and after it.
type Images<'a> = (Option<&'a Value>, Option<&'a Value>);

type Entry = Result<Option<(OrganizationId, FeedEntry)>, UnreadableImage>;

impl StreamRecord {
    /// An item as it is now, as if it had just been created.
    pub(super) fn of_item(item: &RawItem, now: Timestamp) -> Option<Self> {
        let Value::Object(image) = item.to_json() else {
            return None;
        };
        let is_key = |name: &String| ["pk", "sk"].contains(&name.as_str());
        let keys = image
            .clone()
            .into_iter()
            .filter(|(name, _)| is_key(name));
        #[expect(clippy::cast_precision_loss, reason = "milliseconds fit for ages")]
        let seconds = now.millis() as f64 / 1_000.0;
        Some(Self {
            change: ItemChange {
                sequence_number: String::new(),
                approximate_creation_date_time: seconds,
                keys: keys.collect(),
                old_image: None,
                new_image: Some(image),
            },
            stream_arn: None,
        })
    }

    /// The kinds of items whose changes the publisher gets.
    pub fn published_kinds() -> impl Iterator<Item = &'static str> {
        kinds(|kind| !kind.is_indexed())
    }

    /// The kinds of items whose changes the indexer gets.
    pub fn indexed_kinds() -> impl Iterator<Item = &'static str> {
        kinds(UnlistedKind::is_indexed)
    }

    pub fn sequence_number(&self) -> &str {
        &self.change.sequence_number
    }

    pub fn stream_arn(&self) -> Option<&str> {
        self.stream_arn.as_deref()
    }

    /// The key of the changed item, for the log.
    pub fn key(&self) -> String {
        key_of(&record(&self.change.keys))
    }

    /// Returns true if the item was deleted.
    pub const fn is_removal(&self) -> bool {
        self.change.new_image.is_none()
    }

    /// Returns true for an item of an import or of a migration.
    fn is_copy(&self) -> bool {
        let Some(new) = &self.change.new_image else {
            return false;
        };
        let old = self.change.old_image.as_ref();
        let is_same = old.is_none_or(|old| old.get("version") == new.get("version"));
        is_same
            && new
                .get("writeId")
                .is_some_and(|write| write["S"] == COPIED)
    }

    /// Returns the change. `None` for an item whose changes have no effect.
    pub fn item(&self) -> Result<Option<StreamItem>, UnreadableImage> {
        if self.is_copy() {
            return Ok(None);
        }
        if let Some(change) = self.change()? {
            return Ok(Some(StreamItem::Listed(Box::new(change))));
        }
        let unlisted = self.unlisted()?;
        Ok(unlisted.map(|change| StreamItem::Unlisted(Box::new(change))))
    }

    /// Returns the change. `None` for an item whose changes the feed does not have.
    pub fn change(&self) -> Result<Option<FeedChange>, UnreadableImage> {
        let before = self
            .change
            .old_image
            .as_ref()
            .map(record);
        let after = self
            .change
            .new_image
            .as_ref()
            .map(record);
        let images = (before.as_ref(), after.as_ref());
        let Some(newest) = images.1.or(images.0) else {
            return Ok(None);
        };
        let entry = if newest["kind"] == AgentAction::KIND {
            self.entry_of_action(newest, images)?
        } else if let Ok(kind) = FeedType::deserialize(&newest["kind"]) {
            self.entry(kind, newest, images)?
        } else {
            None
        };
        Ok(entry.map(|(organization_id, entry)| FeedChange {
            organization_id,
            entry,
            before,
            after,
        }))
    }

    fn entry(&self, kind: FeedType, newest: &Value, images: Images<'_>) -> Entry {
        let changed: Changed = read(newest)?;
        let before: Option<Changed> = images.0.map(read).transpose()?;
        let was_deleted = before.is_some_and(|before| before.deleted_at.is_some());
        let action = match images {
            // The thread of a deleted comment is cleaned up. A deleted message stays.
            _ if was_deleted => return Ok(None),
            (_, None) => FeedAction::Deleted,
            (_, Some(_)) if changed.deleted_at.is_some() => FeedAction::Deleted,
            (None, Some(_)) => FeedAction::Created,
            (Some(_), Some(_)) => FeedAction::Updated,
        };
        let is_gone = images.1.is_none();
        let fields = match images {
            (Some(old), Some(new)) if action == FeedAction::Updated => fields(old, new),
            _ => Vec::new(),
        };
        let version = changed.version.unwrap_or(1);
        let version = if is_gone { version + 1 } else { version };
        let entry = FeedEntry {
            fields,
            actor: actor(changed.written_by).filter(|_| !is_gone),
            // The id on a removed item is that of an earlier write.
            write_id: written(changed.write_id.as_deref()).filter(|_| !is_gone),
            ..changed.entry(kind, newest, action, version, self.at())?
        };
        Ok(Some((changed.organization_id, entry)))
    }

    /// The entry of an approved action: an update of its session. `None` if only its schedule
    /// changed.
    fn entry_of_action(&self, newest: &Value, images: Images<'_>) -> Entry {
        if let (Some(old), Some(new)) = images {
            let shown = fields(old, new);
            if shown
                .iter()
                .all(|name| SCHEDULE.contains(&name.as_str()))
            {
                return Ok(None);
            }
        }
        let changed: ChangedAction = read(newest)?;
        let entry = FeedEntry {
            of: changed.session_id.into(),
            parent: None,
            action: FeedAction::Updated,
            // The session is at a version of its own.
            version: None,
            part: Some(format!("{}@{}", changed.action_id, changed.version)),
            fields: vec!["actions".to_owned()],
            at: self.at(),
            actor: actor(changed.written_by),
            write_id: written(changed.write_id.as_deref()),
            internal: false,
            project_id: None,
        };
        Ok(Some((changed.organization_id, entry)))
    }

    /// Returns the change of an item that the feed does not have. `None` for an item of another
    /// kind, and for a removed one.
    pub fn unlisted(&self) -> Result<Option<UnlistedChange>, UnreadableImage> {
        let Some(after) = self
            .change
            .new_image
            .as_ref()
            .map(record)
        else {
            return Ok(None);
        };
        let Ok(kind) = UnlistedKind::deserialize(&after["kind"]) else {
            return Ok(None);
        };
        let changed: ChangedItem = read(&after)?;
        Ok(Some(UnlistedChange {
            organization_id: changed.organization_id,
            kind,
            version: changed.version,
            actor: changed
                .written_by
                .map(|author| author.user_id),
            write_id: written(changed.write_id.as_deref()),
            before: self
                .change
                .old_image
                .as_ref()
                .map(record),
            after,
        }))
    }

    fn at(&self) -> Timestamp {
        #[expect(clippy::cast_possible_truncation, reason = "milliseconds fit for ages")]
        let millis = (self
            .change
            .approximate_creation_date_time
            * 1_000.0) as i64;
        Timestamp::from_millis(millis)
    }
}

/// The kinds of items that the feed has, and some of the others.
fn kinds(of_unlisted: fn(UnlistedKind) -> bool) -> impl Iterator<Item = &'static str> {
    let listed = FeedType::ALL
        .iter()
        .map(|kind| kind.name());
    let unlisted = UnlistedKind::ALL.iter().copied();
    let unlisted = unlisted.filter(move |kind| of_unlisted(*kind));
    let unlisted = unlisted.map(|kind| kind.name());
    listed
        .chain(unlisted)
        .chain([AgentAction::KIND])
}

/// The id of a write. `None` for a copy of an item.
fn written(id: Option<&str>) -> Option<String> {
    id.filter(|id| *id != COPIED)
        .map(str::to_owned)
}

fn actor(author: Option<Author>) -> Option<UserId> {
    author.map(|author| author.user_id)
}

impl Changed {
    /// The entry of a change of a record without fields and actor.
    fn entry(
        &self,
        kind: FeedType,
        record: &Value,
        action: FeedAction,
        version: i64,
        at: Timestamp,
    ) -> Result<FeedEntry, UnreadableImage> {
        Ok(FeedEntry {
            of: RecordName {
                kind,
                record_id: self.id,
            },
            parent: parent(*kind, record)?,
            action,
            version: Some(version),
            part: None,
            fields: Vec::new(),
            at,
            actor: None,
            write_id: None,
            internal: self.internal,
            project_id: match *kind {
                RecordType::Project => Id::new(self.id),
                _ => self.project_id,
            },
        })
    }
}

fn parent(kind: RecordType, record: &Value) -> Result<Option<RecordName>, UnreadableImage> {
    for parent in kind.facts().parents {
        let id = &record[parent.facts().named_by];
        if let Some(kind) = FeedType::of(*parent).filter(|_| !id.is_null()) {
            let record_id = id
                .as_i64()
                .ok_or_else(|| UnreadableImage(key_of(record)))?;
            return Ok(Some(RecordName { kind, record_id }));
        }
    }
    Ok(None)
}

fn read<T: DeserializeOwned>(record: &Value) -> Result<T, UnreadableImage> {
    T::deserialize(record).map_err(|_| UnreadableImage(key_of(record)))
}

fn key_of(record: &Value) -> String {
    let text = |name| {
        record[name]
            .as_str()
            .unwrap_or_default()
    };
    format!("{} {}", text("pk"), text("sk"))
}
