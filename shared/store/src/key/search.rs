use model::base::{
    Id, RecordName, RecordType, ReferenceId, SearchedType, Talk, TicketId, Timestamp,
};
use serde_json::Value;
use table::{Gsi1, Key, RecordList, SortKey, padded};

use crate::{
    Tenant,
    base::records::{IndexedRecord, IndexedWord, SearchedText},
};

use super::{
    format::{below, instant_then_id, keys, partition, record_of},
    work,
};

keys! {
    pub(crate) fn indexed(tenant: Tenant, kind: SearchedType, id: i64) -> Key<IndexedRecord>
        = format!("ORG#{tenant}#SEARCH"), name(kind, id);
    /// The records in the search index by their last change.
    pub(crate) fn indexed_by_time(tenant: Tenant) -> RecordList<IndexedRecord, Gsi1>
        = format!("ORG#{tenant}#SEARCH");
}

/// A record's key in [`indexed_by_time`], if it was last changed at that instant.
pub(crate) fn indexed_in_time(
    tenant: Tenant,
    kind: SearchedType,
    id: i64,
    updated_at: Timestamp,
) -> Key<IndexedRecord, Gsi1> {
    let place = format!("{updated_at}#{}", name(kind, id));
    indexed_by_time(tenant).at(SortKey::new(place))
}

pub(crate) fn indexed_word(word: &IndexedWord) -> Key<IndexedWord> {
    let place = format!("{}#{}", word.word, name(word.kind, word.id));
    RecordList::new(words(word.organization_id, &word.word)).at(SortKey::new(place))
}

/// The words in the search index that begin so.
pub(crate) fn words_beginning(tenant: Tenant, word: &str) -> RecordList<IndexedWord> {
    RecordList::new(words(tenant, word))
        .from(SortKey::new(word))
        .up_to(SortKey::new(format!("{word}{}", char::MAX)))
}

/// The partition of all words with the same first letter. One partition of all words would hold
/// back an import: a partition takes 1,000 writes a second.
fn words(tenant: Tenant, word: &str) -> String {
    let letter = word.chars().next().unwrap_or_default();
    format!("ORG#{tenant}#WORD#{letter}")
}

fn name(kind: SearchedType, id: i64) -> String {
    format!("{}#{}", kind.name(), padded(id))
}

/// The record itself, with only the fields of search. `None` for a comment or a message without its
/// parent.
pub(crate) fn searched(record: &IndexedRecord) -> Option<Key<SearchedText>> {
    let tenant = record.organization_id;
    let id = ReferenceId::new(record.id)?;
    Some(match *record.kind {
        RecordType::Comment => {
            let thread = talk(record.parent?)?.thread()?;
            work::comment(tenant, thread, Id::new(record.id)?).read_as()
        }
        RecordType::TicketMessage => {
            let messages = work::ticket_messages(tenant, TicketId::new(record.parent?.record_id)?);
            let place = instant_then_id(record.created_at, id);
            messages.at(place).read_as()
        }
        kind => record_of(tenant, kind, id),
    })
}

/// The record that a comment or a message is on. `None` for another type.
pub(crate) fn searched_parent(tenant: Tenant, parent: RecordName) -> Option<Key<SearchedText>> {
    Some(work::subject_as(tenant, talk(parent)?))
}

/// The records of a type by id. `None` for comments and messages, which stand below other records.
pub(crate) fn records_of(tenant: Tenant, kind: SearchedType) -> Option<RecordList<Value>> {
    (!kind.is_of_thread()).then(|| RecordList::new(partition(tenant, *kind)))
}

/// The comments or messages on a record. `None` for a type without them.
pub(crate) fn records_below(tenant: Tenant, record: RecordName) -> Option<RecordList<Value>> {
    let below_it = record.kind.facts().thread?.facts().key;
    let talk = talk(record)?;
    Some(RecordList::new(below(
        tenant,
        talk.kind(),
        talk.id(),
        below_it,
    )))
}

/// The record as one that users write comments or messages on.
fn talk(record: RecordName) -> Option<Talk> {
    Talk::of(*record.kind, record.record_id)
}
