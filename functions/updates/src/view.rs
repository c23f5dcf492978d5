//! Views of changes.

use serde::Serialize;
use shared::{
    model::{FeedAction, RecordName, RecordType, Timestamp, UserRef},
    store::NumberedEntry,
};
use utoipa::ToSchema;

/// A change of a record.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Change, examples(json!({
    "id": "1768478400012",
    "type": "task",
    "recordId": 17,
    "parent": {"type": "project", "recordId": 1},
    "action": "updated",
    "version": 4,
    "fields": ["status"],
    "at": "2026-01-15T12:00:00.000Z",
    "actor": {"id": 1, "username": "ada", "fullName": "Ada Lindqvist"}
})))]
#[serde(rename_all = "camelCase")]
pub struct ChangeView {
    /// Unique in the organization, increasing.
    id: String,
    #[serde(rename = "type")]
    kind: RecordType,
    record_id: i64,
    /// Subject of a comment or a message; project of a task, a milestone or a phase.
    parent: Option<RecordName>,
    action: FeedAction,
    /// Version that the change led to; null for records without one.
    version: Option<i64>,
    /// Names of the changed fields, at most 50; empty for created and deleted records.
    fields: Vec<String>,
    /// Instant of the change.
    at: Timestamp,
    /// User who made the change; null for the service itself.
    actor: Option<UserRef>,
}

impl From<NumberedEntry> for ChangeView {
    fn from(
        NumberedEntry {
            number,
            entry,
            actor,
        }: NumberedEntry,
    ) -> Self {
        Self {
            id: number.to_string(),
            kind: entry.of.kind,
            record_id: entry.of.record_id,
            parent: entry.parent,
            action: entry.action,
            version: entry.version,
            fields: entry.fields,
            at: entry.at,
            actor,
        }
    }
}
