//! Keys of the search index, and of the records that it leads to.

use model::{
    ActivityId, CommentId, Id, MilestoneId, OrganizationId, ProjectId, RecordName, RecordType,
    SearchedType, ServiceRequestId, TaskId, Thread, TicketId, TicketMessageId, Timestamp,
};
use serde_json::Value;
use table::{Gsi1, Key, List, Sort, padded};

use super::{directory, format::instant_then_id, work};
use crate::records::{IndexedRecord, IndexedWord, SearchedText};

/// A record in the search index.
pub(crate) fn indexed(tenant: OrganizationId, kind: SearchedType, id: i64) -> Key<IndexedRecord> {
    Key::new(format!("ORG#{tenant}#SEARCH"), name(kind, id))
}

/// The records in the search index by their last change.
pub(crate) fn indexed_by_time(tenant: OrganizationId) -> List<IndexedRecord, Gsi1> {
    List::new(format!("ORG#{tenant}#SEARCH"))
}

/// A record's key in [`indexed_by_time`], if it was last changed at that instant.
pub(crate) fn indexed_in_time(
    tenant: OrganizationId,
    kind: SearchedType,
    id: i64,
    updated_at: Timestamp,
) -> Key<IndexedRecord, Gsi1> {
    let place = format!("{updated_at}#{}", name(kind, id));
    indexed_by_time(tenant).at(Sort::new(place))
}

/// A word of a record in the search index.
pub(crate) fn indexed_word(word: &IndexedWord) -> Key<IndexedWord> {
    let place = format!("{}#{}", word.word, name(word.kind, word.id));
    List::new(words(word.organization_id, &word.word)).at(Sort::new(place))
}

/// The words in the search index that begin so.
pub(crate) fn words_beginning(tenant: OrganizationId, word: &str) -> List<IndexedWord> {
    List::new(words(tenant, word))
        .from(Sort::new(word))
        .up_to(Sort::new(format!("{word}{}", char::MAX)))
}

/// The partition of all words with the same first letter. One partition of all words would hold back an
/// import: a partition takes 1,000 writes a second.
fn words(tenant: OrganizationId, word: &str) -> String {
    let letter = word.chars().next().unwrap_or_default();
    format!("ORG#{tenant}#WORD#{letter}")
}

fn name(kind: SearchedType, id: i64) -> String {
    format!("{}#{}", kind.name(), padded(id))
}

/// The record itself, of which only what search shows is read. `None` for a comment or a message without
/// its parent.
pub(crate) fn searched(record: &IndexedRecord) -> Option<Key<SearchedText>> {
    let (tenant, id) = (record.organization_id, record.id);
    let parent = record.parent;
    Some(match record.kind {
        SearchedType::Task => work::task(tenant, TaskId::new(id)?).read_as(),
        SearchedType::ServiceRequest => {
            work::service_request(tenant, ServiceRequestId::new(id)?).read_as()
        }
        SearchedType::Ticket => work::ticket(tenant, TicketId::new(id)?).read_as(),
        SearchedType::Project => directory::project(tenant, ProjectId::new(id)?).read_as(),
        SearchedType::Milestone => work::milestone(tenant, MilestoneId::new(id)?).read_as(),
        SearchedType::Activity => work::activity(tenant, ActivityId::new(id)?).read_as(),
        SearchedType::Comment => {
            work::comment(tenant, thread(parent?)?, CommentId::new(id)?).read_as()
        }
        SearchedType::TicketMessage => {
            let messages = work::ticket_messages(tenant, TicketId::new(parent?.record_id)?);
            let id = TicketMessageId::new(id)?;
            let place = instant_then_id(record.created_at, id);
            messages.at(place).read_as()
        }
    })
}

/// The record that a comment or a message is on. `None` for another type.
pub(crate) fn searched_parent(
    tenant: OrganizationId,
    parent: RecordName,
) -> Option<Key<SearchedText>> {
    match thread(parent) {
        Some(Thread::Task(id)) => Some(work::task(tenant, id).read_as()),
        Some(Thread::Activity(id)) => Some(work::activity(tenant, id).read_as()),
        Some(Thread::ServiceRequest(id)) => Some(work::service_request(tenant, id).read_as()),
        None if parent.kind == RecordType::Ticket => {
            let id = TicketId::new(parent.record_id)?;
            Some(work::ticket(tenant, id).read_as())
        }
        None => None,
    }
}

/// The records of a type by id. `None` for comments and messages, which stand below other records.
pub(crate) fn records_of(tenant: OrganizationId, kind: SearchedType) -> Option<List<Value>> {
    Some(match kind {
        SearchedType::Task => work::tasks(tenant).read_as(),
        SearchedType::ServiceRequest => List::new(format!("ORG#{tenant}#REQUEST")),
        SearchedType::Ticket => List::new(format!("ORG#{tenant}#TICKET")),
        SearchedType::Project => List::new(format!("ORG#{tenant}#PROJECT")),
        SearchedType::Milestone => List::new(format!("ORG#{tenant}#MILESTONE")),
        SearchedType::Activity => work::activities_by_id(tenant).read_as(),
        SearchedType::Comment | SearchedType::TicketMessage => return None,
    })
}

/// The comments or messages on a record. `None` for a type without them.
pub(crate) fn records_below(tenant: OrganizationId, record: RecordName) -> Option<List<Value>> {
    match thread(record) {
        Some(thread) => Some(work::comments(tenant, thread).read_as()),
        None if record.kind == RecordType::Ticket => {
            let id = TicketId::new(record.record_id)?;
            Some(work::ticket_messages(tenant, id).read_as())
        }
        None => None,
    }
}

/// The thread of comments on a record.
fn thread(parent: RecordName) -> Option<Thread> {
    let id = parent.record_id;
    match parent.kind {
        RecordType::Task => TaskId::new(id).map(Thread::Task),
        RecordType::Activity => ActivityId::new(id).map(Thread::Activity),
        RecordType::ServiceRequest => ServiceRequestId::new(id).map(Thread::ServiceRequest),
        _ => None,
    }
}
