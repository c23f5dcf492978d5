//! Keys of ids, cleanups and due work.

use model::{Id, OrganizationId, Thread, Timestamp};
use table::{Gsi2, Key, List, Record, Sort, padded};

use crate::records::{Cleanup, Counter, Subject, Workdesk};

/// The last id given out for a kind of record, for all organizations.
pub(crate) fn counter(kind: &str) -> Key<Counter> {
    Key::new(format!("COUNTER#{kind}"), "COUNTER")
}

/// The work that is left to do after a delete.
pub(crate) fn cleanup(tenant: OrganizationId, subject: Subject) -> Key<Cleanup> {
    let (kind, id) = match subject {
        Subject::Milestone(id) => ("MILESTONE", id.get()),
        Subject::Phase(_, id) => ("PHASE", id.get()),
        Subject::Tag(id) => ("TAG", id.get()),
        Subject::Thread(Thread::ServiceRequest(id)) => ("REQUEST", id.get()),
        Subject::Thread(Thread::Activity(id)) => ("ACTIVITY", id.get()),
        Subject::Thread(Thread::Task(id)) => ("TASK", id.get()),
    };
    Key::new(
        format!("ORG#{tenant}#CLEANUP"),
        format!("{kind}#{}", padded(id)),
    )
}

/// The due records of a kind, by the instant from which they are due. The index is sparse and has the
/// records of all organizations: the sweeper reads it.
pub(crate) fn due<R: Record<Workdesk>>() -> List<R, Gsi2> {
    List::new(format!("DUE#{}", R::KIND))
}

/// A sort key in [`due`].
pub(crate) fn due_from(at: Timestamp) -> Sort<Gsi2> {
    Sort::new(at.to_string())
}
