//! Keys of notifications, of reminders, and of what they are made from.

use model::{
    HistoryEntry, HistoryOf, Id, Mail, Notification, NotificationSubject, OrganizationId,
    RecordType, ReferenceId, Reminded, Talk, Timestamp, UserId,
};
use table::{AnyKey, Gsi1, Gsi2, Key, List, Sort, padded};

use super::{
    agent::{agent_policy, agent_session},
    format::{below, name, of_record, partition, record_of},
    people::account,
    work::{history, subject_as},
};
use crate::records::{
    AccountOwner, Inbox, Involved, NotifiedChange, Participant, Reminder, Titled,
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
    of_record(tenant, user, RecordType::Notification)
}

pub(crate) fn inbox(tenant: OrganizationId, user: UserId) -> Key<Inbox> {
    let users = partition(tenant, RecordType::User);
    Key::new(format!("{users}#{user}"), "INBOX")
}

/// The organization's mails by id.
pub(crate) fn mails(tenant: OrganizationId) -> List<Mail> {
    List::new(partition(tenant, RecordType::Mail))
}

pub(crate) fn mail(tenant: OrganizationId, id: &str) -> Key<Mail> {
    mails(tenant).at(Sort::new(id))
}

pub(crate) fn notified_change(tenant: OrganizationId, cause: &str) -> Key<NotifiedChange> {
    Key::new(format!("ORG#{tenant}#TOLD"), cause)
}

pub(crate) fn reminder(tenant: OrganizationId, of: Reminded) -> Key<Reminder> {
    Key::new(reminders(tenant), name(of.kind(), of.id()))
}

/// The partition of the organization's reminders.
pub(super) fn reminders(tenant: OrganizationId) -> String {
    format!("ORG#{tenant}#REMINDER")
}

pub(crate) fn reminded(tenant: OrganizationId, of: Reminded) -> AnyKey {
    let session = of.id_as().map(|id| agent_session(tenant, id).into());
    session.unwrap_or_else(|| record_of::<()>(tenant, of.kind(), of.id()).into())
}

/// The account of a username, of which only the owner is read.
pub(crate) fn account_owner(folded_username: &str) -> Key<AccountOwner> {
    account(folded_username).read_as()
}

/// The title of a notification's subject. `None` for an id that no record has.
pub(crate) fn titled(tenant: OrganizationId, subject: NotificationSubject) -> Option<Key<Titled>> {
    match (*subject.kind, ReferenceId::new(subject.id)?) {
        (RecordType::AgentSession, id) => Some(agent_session(tenant, Id::new(id.get())?).read_as()),
        (RecordType::AgentPolicy, _) => Some(agent_policy(tenant).read_as()),
        (kind, id) => Some(record_of(tenant, kind, id)),
    }
}

/// The users of a record with comments or messages.
pub(crate) fn involved(tenant: OrganizationId, talk: Talk) -> Key<Involved> {
    subject_as(tenant, talk)
}

pub(crate) fn creation(tenant: OrganizationId, of: HistoryOf) -> Key<HistoryEntry> {
    history(tenant, of).at(Sort::new(padded(1)))
}

/// The users who wrote in a thread, by id.
pub(crate) fn participants(tenant: OrganizationId, talk: Talk) -> List<Participant> {
    List::new(below(tenant, talk.kind(), talk.id(), "PARTICIPANT"))
}

/// A user's key in [`participants`].
pub(crate) fn participant(tenant: OrganizationId, talk: Talk, user: UserId) -> Key<Participant> {
    participants(tenant, talk).at(Sort::new(padded(user.get())))
}
