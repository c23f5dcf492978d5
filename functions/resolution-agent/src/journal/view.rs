//! Entries of journals as the API answers them.

use serde::Serialize;
use shared::model::{
    AgentSessionId, JournalActor, JournalEntry, JournalEvent, JsonObject, Timestamp,
};
use utoipa::ToSchema;

/// An entry of a session's journal.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = JournalEntry)]
#[serde(rename_all = "camelCase")]
pub struct JournalEntryView {
    session_id: AgentSessionId,
    /// The action whose chain it is of; null for the session's own.
    action_id: Option<String>,
    /// From 1 in each chain.
    seq: i64,
    at: Timestamp,
    actor: JournalActor,
    what: JournalEvent,
    /// Where the session or the action stood before.
    from: Option<String>,
    /// Where it stands now.
    to: Option<String>,
    /// The digest of the action that it concerns.
    digest: Option<String>,
    /// What else there is to say.
    detail: Option<JsonObject>,
    /// The hash of the entry before it in its chain; empty for the first.
    previous_hash: String,
    /// SHA-256 of the canonical JSON of all of it but this, in hexadecimal.
    hash: String,
}

impl From<JournalEntry> for JournalEntryView {
    fn from(entry: JournalEntry) -> Self {
        Self {
            session_id: entry.session_id,
            action_id: entry.action_id,
            seq: entry.seq,
            at: entry.at,
            actor: entry.actor,
            what: entry.what,
            from: entry.from,
            to: entry.to,
            digest: entry.digest,
            detail: entry.detail.map(|detail| detail.0),
            previous_hash: entry.previous_hash,
            hash: entry.hash,
        }
    }
}
