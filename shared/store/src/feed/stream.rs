//! Records of the table's stream, and the entries of the change feed that follow from them.

use agent::AgentAction;
use model::{
    AgentSessionId, FeedAction, FeedEntry, Id, OrganizationId, ProjectId, RecordName, RecordType,
    Timestamp, UnlistedKind, UserId,
};
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::Value;

use super::image::{Image, fields, record};
use crate::{
    records::Author,
    table::{Record, Stored},
};

/// Attributes of an approved action that tell when workers and the sweeper visit it.
const SCHEDULE: &[&str] = &["schedule", "token"];

/// A record of the table's stream.
#[derive(Clone, Debug, Deserialize)]
pub struct StreamRecord {
    /// The change of an item.
    #[serde(rename = "dynamodb")]
    change: ItemChange,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct ItemChange {
    sequence_number: String,
    /// Seconds since the Unix epoch.
    approximate_creation_date_time: f64,
    #[serde(default)]
    old_image: Option<Image>,
    #[serde(default)]
    new_image: Option<Image>,
}

/// An image of a record of the feed does not read.
#[derive(Debug)]
pub struct UnreadableImage {
    key: String,
}

impl UnreadableImage {
    /// The item's key.
    #[must_use]
    pub fn key(&self) -> &str {
        &self.key
    }
}

/// A change of a record.
#[derive(Clone, Debug)]
pub struct Change {
    /// The organization of the record.
    pub organization_id: OrganizationId,
    /// The entry of the change feed. That of a removed item has no actor, since no write names one.
    pub entry: FeedEntry,
    before: Option<Value>,
    after: Option<Value>,
}

impl Change {
    /// A record that is there, as if it had just been created. `None` for one that does not read, and for a
    /// deleted comment.
    pub(crate) fn of_existing(stored: Stored<Value>, now: Timestamp) -> Option<Self> {
        let Stored {
            record, version, ..
        } = stored;
        let kind = RecordType::deserialize(&record["kind"]).ok()?;
        let changed: Changed = read(&record).ok()?;
        if changed.deleted_at.is_some() {
            return None;
        }
        let action = FeedAction::Created;
        Some(Self {
            organization_id: changed.organization_id,
            entry: changed.entry(kind, action, version, now),
            before: None,
            after: Some(record),
        })
    }

    /// The record before the change and after it, as far as there is one.
    pub(crate) fn images_mut(&mut self) -> impl Iterator<Item = &mut Value> {
        [&mut self.before, &mut self.after].into_iter().flatten()
    }

    /// Reads the record as it was before. `None` for a new one, and for an image that is no such record.
    #[must_use]
    pub fn before<R: DeserializeOwned>(&self) -> Option<R> {
        R::deserialize(self.before.as_ref()?).ok()
    }

    /// Reads the record as it is after. `None` for a removed one, and for an image that is no such record.
    #[must_use]
    pub fn after<R: DeserializeOwned>(&self) -> Option<R> {
        R::deserialize(self.after.as_ref()?).ok()
    }
}

/// A change of an item that the feed does not have.
#[derive(Clone, Debug)]
pub struct UnlistedChange {
    /// The organization of the item.
    pub organization_id: OrganizationId,
    /// The kind of item.
    pub kind: UnlistedKind,
    /// The version that the change led to.
    pub version: i64,
    /// The user who made the change; `None` for the service itself.
    pub actor: Option<UserId>,
    before: Option<Value>,
    after: Value,
}

impl UnlistedChange {
    /// Reads the item as it was before, as [`Change::before`] does.
    #[must_use]
    pub fn before<R: DeserializeOwned>(&self) -> Option<R> {
        R::deserialize(self.before.as_ref()?).ok()
    }

    /// Reads the item as it is after, as [`Change::after`] does.
    #[must_use]
    pub fn after<R: DeserializeOwned>(&self) -> Option<R> {
        R::deserialize(&self.after).ok()
    }
}

/// The attributes of every item that a change is made of.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ChangedItem {
    kind: UnlistedKind,
    organization_id: OrganizationId,
    version: i64,
    written_by: Option<Author>,
}

/// The attributes that an entry is made of.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Changed {
    id: i64,
    organization_id: OrganizationId,
    version: Option<i64>,
    written_by: Option<Author>,
    project_id: Option<ProjectId>,
    task_id: Option<i64>,
    activity_id: Option<i64>,
    service_request_id: Option<i64>,
    ticket_id: Option<i64>,
    /// Of a message that is an internal note.
    #[serde(default)]
    internal: bool,
    /// Of a comment, which stays in its thread without its text.
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
}

/// The record before a change, and after it.
type Images<'a> = (Option<&'a Value>, Option<&'a Value>);

/// An organization, and an entry of its feed.
type Entry = Result<Option<(OrganizationId, FeedEntry)>, UnreadableImage>;

impl StreamRecord {
    /// The kinds of items whose changes the publisher gets.
    pub fn kinds() -> impl Iterator<Item = &'static str> {
        let listed = RecordType::ALL.iter().map(|kind| kind.name());
        let unlisted = UnlistedKind::ALL.iter().map(|kind| kind.name());
        listed.chain(unlisted).chain([AgentAction::KIND])
    }

    /// The position in the stream.
    #[must_use]
    pub fn sequence_number(&self) -> &str {
        &self.change.sequence_number
    }

    /// Returns the change. `None` for an item whose changes the feed does not have.
    pub fn change(&self) -> Result<Option<Change>, UnreadableImage> {
        let before = self.change.old_image.as_ref().map(record);
        let after = self.change.new_image.as_ref().map(record);
        let images = (before.as_ref(), after.as_ref());
        let Some(newest) = images.1.or(images.0) else {
            return Ok(None);
        };
        let entry = if newest["kind"] == AgentAction::KIND {
            self.entry_of_action(newest, images)?
        } else if let Ok(kind) = RecordType::deserialize(&newest["kind"]) {
            self.entry(kind, newest, images)?
        } else {
            None
        };
        Ok(entry.map(|(organization_id, entry)| Change {
            organization_id,
            entry,
            before,
            after,
        }))
    }

    /// The entry of a record.
    fn entry(&self, kind: RecordType, newest: &Value, images: Images<'_>) -> Entry {
        let changed: Changed = read(newest)?;
        let before: Option<Changed> = images.0.map(read).transpose()?;
        let was_deleted = before.is_some_and(|before| before.deleted_at.is_some());
        let action = match images {
            // The thread of a deleted comment is cleaned up.
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
            ..changed.entry(kind, action, version, self.at())
        };
        Ok(Some((changed.organization_id, entry)))
    }

    /// The entry of an approved action: an update of its session. `None` if only its schedule changed.
    fn entry_of_action(&self, newest: &Value, images: Images<'_>) -> Entry {
        if let (Some(old), Some(new)) = images {
            let shown = fields(old, new);
            if shown.iter().all(|name| SCHEDULE.contains(&name.as_str())) {
                return Ok(None);
            }
        }
        let changed: ChangedAction = read(newest)?;
        let entry = FeedEntry {
            of: RecordName {
                kind: RecordType::AgentSession,
                record_id: changed.session_id.get(),
            },
            parent: None,
            action: FeedAction::Updated,
            // The session is at a version of its own.
            version: None,
            part: Some(format!("{}@{}", changed.action_id, changed.version)),
            fields: vec!["actions".to_owned()],
            at: self.at(),
            actor: actor(changed.written_by),
            internal: false,
            project_id: None,
        };
        Ok(Some((changed.organization_id, entry)))
    }

    /// Returns the change of an item that the feed does not have. `None` for an item of another kind, for
    /// a removed one, and for an image that does not read.
    #[must_use]
    pub fn unlisted(&self) -> Option<UnlistedChange> {
        let after = self.change.new_image.as_ref().map(record)?;
        let changed = ChangedItem::deserialize(&after).ok()?;
        Some(UnlistedChange {
            organization_id: changed.organization_id,
            kind: changed.kind,
            version: changed.version,
            actor: changed.written_by.map(|author| author.user_id),
            before: self.change.old_image.as_ref().map(record),
            after,
        })
    }

    /// The instant of the change.
    fn at(&self) -> Timestamp {
        #[expect(clippy::cast_possible_truncation, reason = "milliseconds fit for ages")]
        let millis = (self.change.approximate_creation_date_time * 1_000.0) as i64;
        Timestamp::from_millis(millis)
    }
}

fn actor(author: Option<Author>) -> Option<UserId> {
    author.map(|author| author.user_id)
}

impl Changed {
    /// The entry of a change without fields and actor.
    fn entry(
        &self,
        kind: RecordType,
        action: FeedAction,
        version: i64,
        at: Timestamp,
    ) -> FeedEntry {
        FeedEntry {
            of: RecordName {
                kind,
                record_id: self.id,
            },
            parent: self.parent(kind),
            action,
            version: Some(version),
            part: None,
            fields: Vec::new(),
            at,
            actor: None,
            internal: self.internal,
            project_id: match kind {
                RecordType::Project => Id::new(self.id),
                _ => self.project_id,
            },
        }
    }

    fn parent(&self, kind: RecordType) -> Option<RecordName> {
        use RecordType::{
            Activity, Comment, Milestone, Phase, Project, ServiceRequest, Task, Ticket,
            TicketMessage,
        };
        let name = |kind, id: Option<i64>| id.map(|record_id| RecordName { kind, record_id });
        match kind {
            Task | Milestone | Phase => name(Project, self.project_id.map(Id::get)),
            Comment => name(Task, self.task_id)
                .or_else(|| name(Activity, self.activity_id))
                .or_else(|| name(ServiceRequest, self.service_request_id)),
            TicketMessage => name(Ticket, self.ticket_id),
            _ => None,
        }
    }
}

/// Reads the attributes that an entry is made of.
fn read<T: DeserializeOwned>(record: &Value) -> Result<T, UnreadableImage> {
    T::deserialize(record).map_err(|_| {
        let text = |name| record[name].as_str().unwrap_or_default();
        UnreadableImage {
            key: format!("{} {}", text("pk"), text("sk")),
        }
    })
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, json};

    use super::*;

    /// An image with attributes in DynamoDB's JSON.
    fn image(kind: &str, version: i64, more: Value) -> Image {
        let mut image = json!({
            "pk": {"S": "ORG#1#X"}, "sk": {"S": "0000000000000007"},
            "kind": {"S": kind}, "id": {"N": "7"}, "organizationId": {"N": "1"},
            "version": {"N": version.to_string()}, "writeId": {"S": format!("w{version}")},
            "updatedAt": {"S": format!("2026-01-15T12:00:0{version}.000Z")},
            "writtenBy": {"M": {"userId": {"N": "3"}, "tokenId": {"N": "9"}}},
        });
        let (Value::Object(image), Value::Object(more)) = (&mut image, more) else {
            panic!("no object");
        };
        image.extend(more);
        image.clone()
    }

    #[expect(clippy::needless_pass_by_value, reason = "images are made in place")]
    fn delivered(old: Option<Image>, new: Option<Image>) -> StreamRecord {
        let images = json!({"dynamodb": {
            "ApproximateCreationDateTime": 1_768_478_400.25, "SequenceNumber": "000001",
            "OldImage": old, "NewImage": new,
        }});
        serde_json::from_value(images).unwrap()
    }

    fn entry(old: Option<Image>, new: Option<Image>) -> Option<FeedEntry> {
        let change = delivered(old, new).change().unwrap()?;
        assert_eq!(change.organization_id.get(), 1);
        Some(change.entry)
    }

    #[test]
    fn a_new_record_is_created_by_its_author() {
        let task = image(
            "task",
            1,
            json!({"projectId": {"N": "5"}, "title": {"S": "Draft"}}),
        );
        let created = json!({
            "type": "task", "recordId": 7, "parent": {"type": "project", "recordId": 5},
            "action": "created", "version": 1, "at": "2026-01-15T12:00:00.250Z", "actor": 3,
            "projectId": 5,
        });
        assert_eq!(json!(entry(None, Some(task))), created);
    }

    #[test]
    fn an_update_names_the_fields_that_differ() {
        let old = json!({
            "title": {"S": "Draft"}, "description": {"S": "x"}, "tagIds": {"NS": ["2", "1"]},
            "order": {"N": "1"}, "gsi1sk": {"S": "1"},
        });
        let new = json!({
            "title": {"S": "Final"}, "milestoneId": {"N": "4"}, "tagIds": {"NS": ["1", "2"]},
            "order": {"N": "2"}, "gsi1sk": {"S": "2"},
        });
        let (old, new) = (image("task", 1, old), image("task", 2, new));
        let updated = entry(Some(old), Some(new)).unwrap();
        assert_eq!(updated.action, FeedAction::Updated);
        assert_eq!(updated.version, Some(2));
        assert_eq!(
            updated.fields,
            ["description", "milestoneId", "order", "title"]
        );
    }

    #[test]
    fn null_and_absent_are_the_same() {
        let old = image("task", 1, json!({"dueDate": {"NULL": true}}));
        let new = image("task", 2, json!({}));
        assert!(entry(Some(old), Some(new)).unwrap().fields.is_empty());
    }

    #[test]
    fn a_version_without_a_changed_field_has_an_entry() {
        let old = image("user", 1, json!({"sessionEpoch": {"N": "0"}}));
        let new = image("user", 2, json!({"sessionEpoch": {"N": "1"}}));
        let updated = entry(Some(old), Some(new)).unwrap();
        assert_eq!((updated.version, updated.fields), (Some(2), vec![]));
    }

    #[test]
    fn at_most_fifty_fields_are_named() {
        let many: Image = (0..60)
            .map(|number| (format!("field{number}"), json!({"N": "1"})))
            .collect();
        let (old, new) = (image("tag", 1, json!({})), image("tag", 2, json!(many)));
        assert_eq!(entry(Some(old), Some(new)).unwrap().fields.len(), 50);
    }

    #[test]
    fn a_removed_record_is_deleted_at_the_next_version_by_an_unknown_actor() {
        let tag = image("tag", 4, json!({}));
        let deleted = json!({
            "type": "tag", "recordId": 7, "action": "deleted", "version": 5,
            "at": "2026-01-15T12:00:00.250Z",
        });
        assert_eq!(json!(entry(Some(tag), None)), deleted);
    }

    #[test]
    fn a_deleted_comment_stays_in_its_thread_and_is_deleted_once() {
        let sound = image(
            "comment",
            1,
            json!({"taskId": {"N": "5"}, "content": {"S": "x"}}),
        );
        let at = json!({"S": "2026-01-15T12:00:00.000Z"});
        let gone = image("comment", 2, json!({"taskId": {"N": "5"}, "deletedAt": at}));
        let deleted = entry(Some(sound.clone()), Some(gone.clone())).unwrap();
        assert_eq!(
            (deleted.action, deleted.version),
            (FeedAction::Deleted, Some(2))
        );
        assert_eq!(deleted.actor.map(Id::get), Some(3));
        assert!(deleted.fields.is_empty());
        assert_eq!(entry(Some(gone), None), None);
        let removed = entry(Some(sound), None).unwrap();
        assert_eq!((removed.version, removed.actor), (Some(2), None));
    }

    #[test]
    fn records_name_their_parents() {
        for (kind, attribute, parent) in [
            ("task", "projectId", Some("project")),
            ("milestone", "projectId", Some("project")),
            ("phase", "projectId", Some("project")),
            ("activity", "projectId", None),
            ("comment", "taskId", Some("task")),
            ("comment", "activityId", Some("activity")),
            ("comment", "serviceRequestId", Some("service_request")),
            ("ticket_message", "ticketId", Some("ticket")),
            ("agent_session", "alertId", None),
        ] {
            let mut more = Map::new();
            more.insert(attribute.to_owned(), json!({"N": "5"}));
            let created = entry(None, Some(image(kind, 1, more.into()))).unwrap();
            let named = created
                .parent
                .map(|parent| (parent.kind.name(), parent.record_id));
            assert_eq!(
                named,
                parent.map(|parent| (parent, 5)),
                "{kind} {attribute}"
            );
            let project = (attribute == "projectId").then_some(5);
            assert_eq!(created.project_id.map(Id::get), project, "{kind}");
        }
        let project = entry(None, Some(image("project", 1, json!({})))).unwrap();
        assert_eq!(project.project_id.map(Id::get), Some(7));
    }

    #[test]
    fn an_action_is_a_part_of_its_session() {
        let action = |version: i64, state: &str, token: &str| {
            let image = json!({
                "kind": {"S": "agent_action"}, "organizationId": {"N": "1"},
                "sessionId": {"N": "7"}, "actionId": {"S": "action-1"},
                "version": {"N": version.to_string()}, "state": {"S": state},
                "token": {"N": token}, "schedule": {"M": {"dueAt": {"S": token}}},
                "journal": {"M": {"seq": {"N": token}}},
            });
            serde_json::from_value::<Image>(image).unwrap()
        };
        let (new, claimed) = (action(1, "pending", "0"), action(2, "executing", "1"));
        let updated = json!({
            "type": "agent_session", "recordId": 7, "action": "updated", "part": "action-1@2",
            "fields": ["actions"], "at": "2026-01-15T12:00:00.250Z",
        });
        let first = entry(None, Some(new.clone())).unwrap();
        let second = entry(Some(new), Some(claimed.clone())).unwrap();
        assert_eq!(json!(second), updated);
        assert!(!first.is_of_same_change(&second));
        assert_eq!(
            entry(Some(claimed), Some(action(3, "executing", "2"))),
            None
        );
    }

    #[test]
    fn other_items_have_no_entry() {
        for kind in [
            "session",
            "account",
            "cleanup",
            "history_entry",
            "feed_batch",
            "",
        ] {
            let other = Image::from_iter([("kind".to_owned(), json!({"S": kind}))]);
            assert_eq!(entry(None, Some(other)), None, "{kind}");
        }
        assert_eq!(entry(None, Some(Image::new())), None);
        assert_eq!(entry(None, None), None);
    }

    #[test]
    fn an_unreadable_image_is_named_by_its_key_alone() {
        let mut damaged = image("task", 1, json!({"title": {"S": "secret"}}));
        damaged.insert("id".to_owned(), json!({"S": "secret"}));
        let error = delivered(None, Some(damaged)).change().unwrap_err();
        assert_eq!(error.key(), "ORG#1#X 0000000000000007");
    }
}
