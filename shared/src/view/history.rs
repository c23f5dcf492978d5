//! Entries of a record's history as answers.

use model::{FieldChange, HistoryEvent, Timestamp, UserRef};
use serde::Serialize;
use store::EntryWithActor;
use utoipa::ToSchema;

/// A change of a record. Entries never change.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = HistoryEntry, examples(json!({
    "id": 3,
    "at": "2026-01-14T09:30:00.000Z",
    "actor": {"id": 1, "username": "ada", "fullName": "Ada Lindqvist"},
    "what": "updated",
    "changes": [{"field": "status", "from": "todo", "to": "in_progress"}]
})))]
#[serde(rename_all = "camelCase")]
pub struct HistoryEntryView {
    /// The version of the record after the change.
    id: i64,
    at: Timestamp,
    /// The user who made the change; null for the service itself, or if the account is gone.
    actor: Option<UserRef>,
    what: HistoryEvent,
    /// The fields that changed; none for a record that was created or deleted.
    changes: Vec<FieldChange>,
}

impl From<EntryWithActor> for HistoryEntryView {
    fn from(EntryWithActor { entry, actor }: EntryWithActor) -> Self {
        Self {
            id: entry.id,
            at: entry.at,
            actor,
            what: entry.what,
            changes: entry.changes,
        }
    }
}
