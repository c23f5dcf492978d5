use shared::{
    agent::{connection::Excerpt, journal::JournalEntry},
    endpoint::*,
    model::base::JsonObject,
};

// `ToSchema` takes no type arguments.
type ShownEntry = Shown<JournalEntry>;

view! {
    /// An entry of a session's journal.
    #[schema(as = JournalEntry)]
    pub struct JournalEntryView of entry(mut entry: Stored<JournalEntry>) {
        /// Further details. Those of an answer have the hash of its excerpt.
        #[schema(value_type = Option<BTreeMap<String, Value>>)]
        detail: Option<JsonObject> = entry.detail.take().map(|detail| detail.0),
        /// Kept excerpt of the answer; null 90 days after it, and for entries without an answer.
        excerpt: Option<Excerpt> = entry.excerpt.take(),
        #[serde(flatten)]
        #[schema(inline)]
        shown: ShownEntry = entry.into(),
    }
}
