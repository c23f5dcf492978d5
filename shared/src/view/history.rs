//! The history of a record as the API answers it.

use model::{FieldChange, HistoryEvent, Timestamp, UserRef};
use serde::Serialize;
use store::EntryWithActor;
use utoipa::ToSchema;

/// A change of a record. Nothing alters or deletes one.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = HistoryEntry)]
#[serde(rename_all = "camelCase")]
pub struct HistoryEntryView {
    /// The version of the record that it led to.
    id: i64,
    at: Timestamp,
    /// Who made it; null where the service itself did, or the account is gone.
    actor: Option<UserRef>,
    what: HistoryEvent,
    /// The fields that changed; none of a record that was created or deleted.
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
