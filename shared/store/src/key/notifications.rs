//! Keys of notifications, of reminders, and of what they are made from.

use model::{
    HistoryEntry, HistoryOf, Id, Notification, OrganizationId, ReferenceId, SubjectType, TaskId,
    Thread, TicketId, Timestamp, UserId,
};
use table::{Gsi1, Gsi2, Key, List, Sort, padded};

use super::{
    agent::{agent_policy, agent_session},
    format::record,
    people::account,
    work::{self, history},
};
use crate::records::{
    AccountOwner, Inbox, Involved, Participant, Reminded, Reminder, Talk, Titled, ToldChange,
};

/// A notification of a user, by what it follows from.
pub(crate) fn notification(tenant: OrganizationId, user: UserId, cause: &str) -> Key<Notification> {
    Key::new(notification_partition(tenant, user), cause)
}

/// A user's notifications by time.
pub(crate) fn notifications(tenant: OrganizationId, user: UserId) -> List<Notification, Gsi1> {
    List::new(notification_partition(tenant, user))
}

/// A user's notifications by time, without those that were read one by one. The index is sparse.
pub(crate) fn unread_notifications(
    tenant: OrganizationId,
    user: UserId,
) -> List<Notification, Gsi2> {
    let all = notification_partition(tenant, user);
    List::new(format!("{all}#UNREAD"))
}

/// A sort key in [`notifications`] and [`unread_notifications`].
pub(crate) fn notification_in_time<I>(id: &str) -> Sort<I> {
    Sort::new(id)
}

/// The sort key before all notifications of that instant, and after all earlier ones.
pub(crate) fn notifications_from<I>(at: Timestamp) -> Sort<I> {
    Sort::new(Notification::beginning_at(at))
}

fn notification_partition(tenant: OrganizationId, user: UserId) -> String {
    format!("ORG#{tenant}#USER#{user}#NOTIFICATION")
}

/// The notification settings of a user.
pub(crate) fn inbox(tenant: OrganizationId, user: UserId) -> Key<Inbox> {
    Key::new(format!("ORG#{tenant}#USER#{user}"), "INBOX")
}

/// A change whose notifications are written.
pub(crate) fn told_change(tenant: OrganizationId, cause: &str) -> Key<ToldChange> {
    Key::new(format!("ORG#{tenant}#TOLD"), cause)
}

/// The reminder of a record.
pub(crate) fn reminder(tenant: OrganizationId, of: Reminded) -> Key<Reminder> {
    let place = match of {
        Reminded::Task(id) => format!("TASK#{}", padded(id.get())),
        Reminded::AgentSession(id) => format!("AGENT_SESSION#{}", padded(id.get())),
    };
    Key::new(format!("ORG#{tenant}#REMINDER"), place)
}

/// The account of a username, of which only the owner is read.
pub(crate) fn account_owner(folded_username: &str) -> Key<AccountOwner> {
    account(folded_username).read_as()
}

/// The record that a notification is about, of which only its title is read. `None` for an id that no
/// record has.
pub(crate) fn titled(tenant: OrganizationId, kind: SubjectType, id: i64) -> Option<Key<Titled>> {
    let kind = match kind {
        SubjectType::Task => "TASK",
        SubjectType::ServiceRequest => "REQUEST",
        SubjectType::Ticket => "TICKET",
        SubjectType::Activity => "ACTIVITY",
        SubjectType::Milestone => "MILESTONE",
        SubjectType::Project => "PROJECT",
        SubjectType::Webhook => "WEBHOOK",
        SubjectType::AgentSession => {
            return Some(agent_session(tenant, Id::new(id)?).read_as());
        }
        SubjectType::AgentPolicy => return Some(agent_policy(tenant).read_as()),
    };
    Some(record(tenant, kind, ReferenceId::new(id)?))
}

/// The record that comments are on, of which only its users are read.
pub(crate) fn involved_in_thread(tenant: OrganizationId, thread: Thread) -> Key<Involved> {
    match thread {
        Thread::ServiceRequest(id) => work::service_request(tenant, id).read_as(),
        Thread::Activity(id) => work::activity(tenant, id).read_as(),
        Thread::Task(id) => work::task(tenant, id).read_as(),
    }
}

/// A ticket, of which only its users are read.
pub(crate) fn involved_in_ticket(tenant: OrganizationId, ticket: TicketId) -> Key<Involved> {
    work::ticket(tenant, ticket).read_as()
}

/// The entry of a record's creation in its history.
pub(crate) fn creation_of_task(tenant: OrganizationId, task: TaskId) -> Key<HistoryEntry> {
    creation(tenant, HistoryOf::Task(task))
}

/// As [`creation_of_task`].
pub(crate) fn creation_of_ticket(tenant: OrganizationId, ticket: TicketId) -> Key<HistoryEntry> {
    creation(tenant, HistoryOf::Ticket(ticket))
}

fn creation(tenant: OrganizationId, of: HistoryOf) -> Key<HistoryEntry> {
    history(tenant, of).at(Sort::new(padded(1)))
}

/// The users who wrote in a thread, by id.
pub(crate) fn participants(tenant: OrganizationId, talk: Talk) -> List<Participant> {
    let (kind, id) = match talk {
        Talk::Thread(Thread::ServiceRequest(id)) => ("REQUEST", id.get()),
        Talk::Thread(Thread::Activity(id)) => ("ACTIVITY", id.get()),
        Talk::Thread(Thread::Task(id)) => ("TASK", id.get()),
        Talk::Ticket(id) => ("TICKET", id.get()),
    };
    List::new(format!("ORG#{tenant}#{kind}#{id}#PARTICIPANT"))
}

/// A user's key in [`participants`].
pub(crate) fn participant(tenant: OrganizationId, talk: Talk, user: UserId) -> Key<Participant> {
    participants(tenant, talk).at(Sort::new(padded(user.get())))
}
