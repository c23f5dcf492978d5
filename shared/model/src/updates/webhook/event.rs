use std::sync::LazyLock;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::{PartialSchema, ToSchema};

use crate::{
    base::{
        FeedType, OrOther, RecordName, RecordType, SubjectType, Timestamp, UserId,
        input::{Component, InputPlace, Reading, Schema, string},
    },
    people::UserRef,
    updates::{FeedAction, NotificationKind},
};

const NOTIFICATION: &str = RecordType::Notification.name();

/// Every value that [`EventPattern`] takes.
static PATTERNS: LazyLock<Vec<String>> = LazyLock::new(|| {
    let mut patterns = vec!["*".to_owned()];
    for (kind, actions) in EVENTS.iter() {
        patterns.push(format!("{kind}.*"));
        patterns.extend(
            actions
                .iter()
                .map(|action| event_type(kind, *action)),
        );
    }
    patterns
});

/// The types of records that have events, each with its actions.
static EVENTS: LazyLock<Vec<(&'static str, &'static [FeedAction])>> = LazyLock::new(|| {
    let records = FeedType::ALL.iter();
    let records = records.map(|kind| (kind.name(), FeedAction::ALL));
    let notifications = (NOTIFICATION, &[FeedAction::Created][..]);
    records.chain([notifications]).collect()
});

fn event_type(kind: &str, action: FeedAction) -> String {
    format!("{kind}.{}", action.name())
}

/// The events that a webhook is told of: one type such as `task.created`, all of a record's such as
/// `task.*`, or `*` for all.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct EventPattern(String);

impl EventPattern {
    pub fn has(&self, event: &str) -> bool {
        match self.0.strip_suffix('*') {
            Some(beginning) => event.starts_with(beginning),
            None => self.0 == event,
        }
    }
}

impl Component for EventPattern {
    fn parse(value: &Value, place: &mut InputPlace<'_>) -> Reading<Self> {
        let is_pattern = |text: &&str| {
            PATTERNS
                .iter()
                .any(|pattern| pattern == text)
        };
        if let Some(text) = value.as_str().filter(is_pattern) {
            return Some(Self(text.to_owned()));
        }
        let names: Vec<&str> = PATTERNS
            .iter()
            .map(String::as_str)
            .collect();
        place.unknown_name(value, "a type of event", &names)
    }
}

impl PartialSchema for EventPattern {
    fn schema() -> Schema {
        let about = "The events that a webhook is told of: one type such as `task.created`, all of a \
            record's such as `task.*`, or `*` for all. `notification.created` has each notification of \
            each user.";
        string()
            .enum_values(Some(PATTERNS.iter().map(String::as_str)))
            .description(Some(about))
            .examples(["task.*"])
            .into()
    }
}

impl ToSchema for EventPattern {}

/// The change that an event is about, as the change feed shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct EventChange {
    /// Id of the entry in the change feed; null for a notification.
    pub id: Option<String>,
    /// Type of the record: one of the change feed, or `notification`.
    #[serde(rename = "type")]
    pub kind: String,
    pub record_id: EventRecordId,
    /// Subject of a comment or a message; project of a task, a milestone, a phase or an activity.
    pub parent: Option<RecordName>,
    /// Action of an agent session that changed, with its version, as `a1@3`; null for other
    /// changes.
    #[serde(default)]
    pub part: Option<String>,
    pub action: FeedAction,
    /// Version that the change led to; null for records without one.
    pub version: Option<i64>,
    /// Names of the changed fields, at most 50; empty for created and deleted records.
    pub fields: Vec<String>,
    pub at: Timestamp,
    /// Id of the write. That of a request begins with the request's `X-Request-Id`. Null if it is
    /// not known.
    #[serde(default)]
    pub write_id: Option<String>,
    /// User who made the change; null for the service itself.
    pub actor: Option<UserRef>,
    /// User who is notified; null for other records.
    pub user_id: Option<UserId>,
    /// Kind of the notification; null for other records.
    #[serde(default, rename = "kind")]
    #[schema(value_type = Option<NotificationKind>)]
    pub notification_kind: Option<OrOther<NotificationKind>>,
    /// Record that the notification is about; null for other records.
    #[serde(default)]
    pub subject: Option<EventSubject>,
}

/// The record that a notification is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct EventSubject {
    #[serde(rename = "type")]
    #[schema(value_type = SubjectType)]
    pub kind: OrOther<SubjectType>,
    /// Id, unique among records of the type.
    pub id: i64,
}

/// The id of a record: an integer, or a text for a notification.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(untagged)]
pub enum EventRecordId {
    Number(i64),
    Text(String),
}

impl EventChange {
    pub const NOTIFICATION: &str = NOTIFICATION;

    /// The type of the event, such as `task.created`.
    pub fn event_type(&self) -> String {
        event_type(&self.kind, self.action)
    }

    /// The path of the API with the record, or with the list that has it.
    pub fn path(&self) -> Option<String> {
        let EventRecordId::Number(id) = self.record_id else {
            return Some("/api/notifications".to_owned());
        };
        RecordType::named(&self.kind)?.path(id, self.parent.and_then(RecordName::path))
    }

    /// The view of the desk that shows the record, or the subject of the notification.
    pub fn view(&self) -> Option<String> {
        let EventRecordId::Number(id) = self.record_id else {
            let subject = self.subject.as_ref()?;
            return Some(
                subject
                    .kind
                    .known()?
                    .view(subject.id, None),
            );
        };
        Some(RecordType::named(&self.kind)?.view(id, self.parent.map(RecordName::view)))
    }
}

/// The event of a test, which every webhook gets.
pub const TEST_EVENT: &str = "webhook.test";

static TYPES: LazyLock<Vec<String>> = LazyLock::new(|| {
    let test = TEST_EVENT.to_owned();
    let events = EVENTS.iter();
    let types = events.flat_map(|(kind, actions)| {
        actions
            .iter()
            .map(|action| event_type(kind, *action))
    });
    types.chain([test]).collect()
});

/// A message to the receiver of a webhook, as Standard Webhooks 1.0 describes.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct WebhookMessage {
    #[serde(rename = "type")]
    #[schema(value_type = EventType)]
    pub event: String,
    /// Instant of the change or of the test.
    pub timestamp: Timestamp,
    pub data: WebhookMessageData,
}

#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct WebhookMessageData {
    /// Change; null for a test.
    pub change: Option<EventChange>,
    /// URL of the record, or of the list that has it; null for a test.
    pub url: Option<String>,
    /// URL of the desk's view with the record, or with the subject of a notification; null for a
    /// test.
    pub web_url: Option<String>,
}

#[derive(Clone, Copy, Debug)]
pub struct EventType;

impl PartialSchema for EventType {
    fn schema() -> Schema {
        let about = "The type of an event: the type of a record and the action, such as `task.created`. \
            `webhook.test` is sent by a test alone.";
        string()
            .enum_values(Some(TYPES.iter().map(String::as_str)))
            .description(Some(about))
            .examples(["task.updated"])
            .into()
    }
}

impl ToSchema for EventType {}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_change_is_shown_by_a_view_of_the_desk() {
        let view = |kind: &str, parent: Value, subject: Value| {
            let is_number = kind != EventChange::NOTIFICATION;
            let id = if is_number { json!(7) } else { json!("n7") };
            let change = json!({
                "type": kind, "recordId": id, "action": "created", "fields": [], "parent": parent,
                "subject": subject, "at": "2026-01-15T12:00:00.000Z",
            });
            serde_json::from_value::<EventChange>(change)
                .unwrap()
                .view()
        };
        let project = json!({"type": "project", "recordId": 1});
        let activity = json!({"type": "activity", "recordId": 2});
        let ticket = json!({"type": "ticket", "recordId": 3});
        for (kind, parent, shown) in [
            ("task", project.clone(), "/#/tasks/7"),
            ("project", Value::Null, "/#/projects/7"),
            ("service_request", Value::Null, "/#/requests/7"),
            ("ticket", Value::Null, "/#/tickets/7"),
            ("alert", Value::Null, "/#/alerts/7"),
            ("agent_session", Value::Null, "/#/agent-sessions/7"),
            ("milestone", project.clone(), "/#/projects/1"),
            ("phase", project.clone(), "/#/projects/1"),
            ("activity", project, "/#/"),
            ("comment", activity, "/#/"),
            ("ticket_message", ticket, "/#/tickets/3"),
            ("tag", Value::Null, "/#/"),
            ("user", Value::Null, "/#/settings"),
        ] {
            let result = view(kind, parent, Value::Null);
            assert_eq!(result.as_deref(), Some(shown), "{kind}");
        }
        let subject = json!({"type": "agent_session", "id": 9});
        let view = view("notification", Value::Null, subject);
        assert_eq!(view.as_deref(), Some("/#/agent-sessions/9"));
    }

    fn pattern(text: &str) -> Option<EventPattern> {
        let mut faults = Vec::new();
        EventPattern::parse(&text.into(), &mut InputPlace::body(&mut faults))
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
        let texts = "|task|task.|tasks.*|task.moved|*.created";
        for text in texts.split('|').chain([TEST_EVENT]) {
            assert_eq!(pattern(text), None, "{text}");
        }
        assert!(pattern("notification.*").is_some());
        assert!(pattern("notification.updated").is_none());
    }
}
