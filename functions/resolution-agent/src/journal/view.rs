use shared::{
    agent::journal::{Excerpt, JournalActor, JournalEntry, JournalEvent},
    endpoint::*,
    model::base::{AgentSessionId, JsonObject},
};

view! {
    /// An entry of a session's journal.
    #[schema(as = JournalEntry)]
    pub struct JournalEntryView of entry(Stored { record: entry, .. }: Stored<JournalEntry>) {
        session_id: AgentSessionId,
        /// Action whose chain the entry belongs to; null for the session's chain.
        action_id: Option<String>,
        /// Number in its chain, from 1.
        seq: i64,
        at: Timestamp,
        actor: JournalActor,
        what: JournalEvent,
        /// State of the session or action before.
        from: Option<String>,
        /// State of the session or action after.
        to: Option<String>,
        digest: Option<String>,
        /// Further details. Those of an answer have the hash of its excerpt.
        #[schema(value_type = Option<BTreeMap<String, Value>>)]
        detail: Option<JsonObject> = entry.detail.map(|detail| detail.0),
        /// Kept excerpt of the answer; null 90 days after it, and for entries without an answer.
        excerpt: Option<Excerpt>,
        /// Hash of the entry before it in its chain; empty for the first.
        previous_hash: String,
        /// SHA-256 of the canonical JSON of the entry without this field and `excerpt`, in
        /// hexadecimal.
        hash: String,
    }
}
