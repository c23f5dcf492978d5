use std::sync::LazyLock;

use serde::Serialize;
use utoipa::{PartialSchema, ToSchema};

use super::{EventChange, event::event_types};
use crate::{
    Timestamp,
    input::{Schema, string},
};

/// The event of a test, which every webhook gets.
pub const TEST_EVENT: &str = "webhook.test";

static TYPES: LazyLock<Vec<String>> = LazyLock::new(|| {
    let test = TEST_EVENT.to_owned();
    event_types().chain([test]).collect()
});

/// A message to the receiver of a webhook, as Standard Webhooks 1.0 describes.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(examples(json!({
    "type": "task.updated",
    "timestamp": "2026-01-15T12:00:00.000Z",
    "data": {
        "change": {
            "id": "1768478400012",
            "type": "task",
            "recordId": 17,
            "parent": {"type": "project", "recordId": 1},
            "part": null,
            "action": "updated",
            "version": 4,
            "fields": ["status"],
            "at": "2026-01-15T12:00:00.000Z",
            "actor": {"id": 1, "username": "ada", "fullName": "Ada Lindqvist"},
            "userId": null,
            "kind": null,
            "subject": null
        },
        "url": "https://api.example.com/api/tasks/17",
        "webUrl": "https://desk.example.com/#/tasks/17"
    }
})))]
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
    #[schema(examples("https://api.example.com/api/tasks/17"))]
    pub url: Option<String>,
    /// URL of the desk's view with the record, or with the subject of a notification; null for a test.
    #[schema(examples("https://desk.example.com/#/tasks/17"))]
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
