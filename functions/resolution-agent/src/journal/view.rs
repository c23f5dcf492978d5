use shared::{
    agent::{
        connection::Excerpt,
        journal::{JournalActor, JournalEntry, JournalEvent},
    },
    endpoint::*,
    model::base::{AgentSessionId, JsonObject},
};

view! {
    /// An entry of a session's journal.
    #[schema(as = JournalEntry, examples(json!({
        "sessionId": 3,
        "actionId": "s3-p1-a1",
        "seq": 2,
        "at": "2026-01-14T12:05:00.000Z",
        "actor": {"type": "user", "userId": 1},
        "what": "approved",
        "from": "proposed",
        "to": "approved",
        "digest": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "detail": null,
        "excerpt": null,
        "previousHash": "80a00f0b51c6d51dc228b0b2b1f4fb3a510da55c0aaef2a956d7c488180d68f9",
        "hash": "a3bf4f1b2b0b822cd15d6c15b0f00a089f86d081884c7d659a2feaa0c55ad015"
    })))]
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
