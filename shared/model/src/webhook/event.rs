//! Events that webhooks are told of.

use std::sync::LazyLock;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::{
    PartialSchema, ToSchema,
    openapi::{ObjectBuilder, RefOr, Schema, schema::Type},
};

use crate::{
    FeedAction, RecordName, RecordType, Timestamp, UserId, UserRef,
    input::{Field, Place, Reading, reference},
};

/// The type of a notification's event.
const NOTIFICATION: &str = "notification";

/// The event of a test, which every webhook gets.
pub const TEST_EVENT: &str = "webhook.test";

/// Every value that [`EventPattern`] takes.
static PATTERNS: LazyLock<Vec<String>> = LazyLock::new(|| {
    let mut all = vec!["*".to_owned()];
    for kind in RecordType::ALL {
        all.push(format!("{}.*", kind.name()));
        let actions = FeedAction::ALL.iter();
        all.extend(actions.map(|action| event_type(kind.name(), *action)));
    }
    all.push(format!("{NOTIFICATION}.*"));
    all.push(event_type(NOTIFICATION, FeedAction::Created));
    all
});

fn event_type(kind: &str, action: FeedAction) -> String {
    format!("{kind}.{}", action.name())
}

/// The events that a webhook is told of: one type such as `task.created`, all of a record's such as `task.*`,
/// or `*` for all.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct EventPattern(String);

impl EventPattern {
    /// Returns true for a type of event that the pattern has.
    #[must_use]
    pub fn has(&self, event: &str) -> bool {
        match self.0.strip_suffix('*') {
            Some(beginning) => event.starts_with(beginning),
            None => self.0 == event,
        }
    }
}

impl Field for EventPattern {
    fn read(value: &Value, place: &mut Place<'_>) -> Reading<Self> {
        let known = |text: &&str| PATTERNS.iter().any(|pattern| pattern == text);
        if let Some(text) = value.as_str().filter(known) {
            return Some(Self(text.to_owned()));
        }
        let names: Vec<&str> = PATTERNS.iter().map(String::as_str).collect();
        place.unknown_name(value, "a type of event", &names)
    }

    fn field_schema() -> RefOr<Schema> {
        reference("EventPattern")
    }

    fn field_schemas(all: &mut Vec<(String, RefOr<Schema>)>) {
        all.push(("EventPattern".to_owned(), <Self as PartialSchema>::schema()));
    }
}

impl PartialSchema for EventPattern {
    fn schema() -> RefOr<Schema> {
        let about = "The events that a webhook is told of: one type such as `task.created`, all of a \
            record's such as `task.*`, or `*` for all. `notification.created` has each notification of \
            each user.";
        ObjectBuilder::new()
            .schema_type(Type::String)
            .enum_values(Some(PATTERNS.iter().map(String::as_str)))
            .description(Some(about))
            .examples(["task.*"])
            .into()
    }
}

impl ToSchema for EventPattern {
    fn name() -> std::borrow::Cow<'static, str> {
        "EventPattern".into()
    }
}

/// The change that an event is about, as the change feed shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(examples(json!({
    "id": "1768478400012",
    "type": "task",
    "recordId": 17,
    "parent": {"type": "project", "recordId": 1},
    "action": "updated",
    "version": 4,
    "fields": ["status"],
    "at": "2026-01-15T12:00:00.000Z",
    "actor": {"id": 1, "username": "ada", "fullName": "Ada Lindqvist"},
    "userId": null
})))]
#[serde(rename_all = "camelCase")]
pub struct EventChange {
    /// Id of the entry in the change feed; null for a notification.
    pub id: Option<String>,
    /// Type of the record: one of the change feed, or `notification`.
    #[serde(rename = "type")]
    #[schema(examples("task"))]
    pub kind: String,
    /// Id of the record.
    pub record_id: EventRecordId,
    /// Subject of a comment or a message; project of a task, a milestone or a phase.
    pub parent: Option<RecordName>,
    /// Kind of change.
    pub action: FeedAction,
    /// Version that the change led to; null for records without one.
    pub version: Option<i64>,
    /// Names of the changed fields, at most 50; empty for created and deleted records.
    pub fields: Vec<String>,
    /// Instant of the change.
    pub at: Timestamp,
    /// User who made the change; null for the service itself.
    pub actor: Option<UserRef>,
    /// User who is notified; null for other records.
    pub user_id: Option<UserId>,
}

/// The id of a record: an integer, or a text for a notification.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(untagged)]
pub enum EventRecordId {
    /// An integer.
    Number(i64),
    /// A text.
    Text(String),
}

impl EventChange {
    /// The kind of a notification.
    pub const NOTIFICATION: &str = NOTIFICATION;

    /// The type of the event, such as `task.created`.
    #[must_use]
    pub fn event_type(&self) -> String {
        event_type(&self.kind, self.action)
    }

    /// The path of the API with the record, or with the list that has it.
    #[must_use]
    pub fn path(&self) -> Option<String> {
        let EventRecordId::Number(id) = self.record_id else {
            return Some("/api/notifications".to_owned());
        };
        let kind = RecordType::ALL.iter().find(|one| one.name() == self.kind)?;
        let parent = self.parent;
        Some(match kind {
            RecordType::Task => format!("/api/tasks/{id}"),
            RecordType::Milestone => format!("/api/milestones/{id}"),
            RecordType::ServiceRequest => format!("/api/service-requests/{id}"),
            RecordType::Ticket => ticket(id),
            RecordType::Activity => format!("/api/activities/{id}"),
            RecordType::Project => format!("/api/projects/{id}"),
            RecordType::Phase => format!("/api/projects/{}/phases", parent?.record_id),
            RecordType::Tag => "/api/tags".to_owned(),
            RecordType::Comment => comments(parent?)?,
            RecordType::TicketMessage => ticket(parent?.record_id),
            RecordType::User => format!("/api/users/{id}"),
            RecordType::Alert => format!("/api/concierge/alerts/{id}"),
            RecordType::AgentSession => format!("/api/concierge/agent-sessions/{id}"),
        })
    }
}

fn ticket(id: i64) -> String {
    format!("/api/managed-services/ticket/{id}")
}

/// The list of a subject's comments.
fn comments(subject: RecordName) -> Option<String> {
    let records = match subject.kind {
        RecordType::Task => "tasks",
        RecordType::Activity => "activities",
        RecordType::ServiceRequest => "service-requests",
        _ => return None,
    };
    Some(format!("/api/{records}/{}/comments", subject.record_id))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pattern(text: &str) -> Option<EventPattern> {
        let mut faults = Vec::new();
        EventPattern::read(&text.into(), &mut Place::body(&mut faults))
    }

    #[test]
    fn a_pattern_has_one_type_or_all_of_a_record_or_all() {
        for (text, has, has_not) in [
            ("task.created", "task.created", "task.updated"),
            ("ticket.*", "ticket.deleted", "ticket_message.created"),
            ("*", "notification.created", ""),
        ] {
            let pattern = pattern(text).unwrap();
            assert!(pattern.has(has), "{text}");
            assert!(has_not.is_empty() || !pattern.has(has_not), "{text}");
        }
    }

    #[test]
    fn other_types_are_refused() {
        for text in [
            "",
            "task",
            "task.",
            "tasks.*",
            "task.moved",
            "*.created",
            TEST_EVENT,
        ] {
            assert_eq!(pattern(text), None, "{text}");
        }
        assert!(pattern("notification.*").is_some());
        assert!(pattern("notification.updated").is_none());
    }
}
