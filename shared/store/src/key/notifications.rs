//! Keys of notifications, of reminders, and of what they are made from.

use model::{
    base::{
        HistoryEntry, HistoryOf, Id, NotificationSubject, RecordType, ReferenceId, Reminded, Talk,
        Timestamp, UserId,
    },
    updates::{Mail, Notification},
};
use table::{AnyKey, Gsi1, Gsi2, Key, RecordList, SortKey, padded};

use crate::{
    Tenant,
    base::records::{AccountOwner, Inbox, Involved, NotifiedChange, Participant, Reminder, Titled},
};

use super::{
    agent::{agent_policy, agent_session},
    format::{below, keys, name, of_record, partition, record_of},
    people::{account, organization},
    work::{history, subject_as},
};

keys! {
    /// A notification of a user, by what it follows from.
    pub(crate) fn notification(tenant: Tenant, user: UserId, cause: &str) -> Key<Notification>
        = notification_partition(tenant, user), cause;
    /// A user's notifications by time.
    pub(crate) fn notifications(tenant: Tenant, user: UserId) -> RecordList<Notification, Gsi1>
        = notification_partition(tenant, user);
    /// The organization's mails by id.
    pub(crate) fn mails(tenant: Tenant) -> RecordList<Mail> = partition(tenant, RecordType::Mail);
    pub(crate) fn notified_change(tenant: Tenant, cause: &str) -> Key<NotifiedChange>
        = format!("ORG#{tenant}#TOLD"), cause;
    pub(crate) fn reminder(tenant: Tenant, of: Reminded) -> Key<Reminder>
        = reminders(tenant), name(of.kind(), of.id());
    /// The users who wrote in a thread, by id.
    pub(crate) fn participants(tenant: Tenant, talk: Talk) -> RecordList<Participant>
        = below(tenant, talk.kind(), talk.id(), "PARTICIPANT");
    pub(crate) fn mail(tenant: Tenant, id: &str) -> Key<Mail> = mails(tenant) => SortKey::new(id);
    pub(crate) fn creation(tenant: Tenant, of: HistoryOf) -> Key<HistoryEntry>
        = history(tenant, of) => SortKey::new(padded(1));
    /// A user's key in [`participants`].
    pub(crate) fn participant(tenant: Tenant, talk: Talk, user: UserId) -> Key<Participant>
        = participants(tenant, talk) => SortKey::new(padded(user.get()));
}

/// A user's notifications by time, without those that were read one by one. The index is sparse.
pub(crate) fn unread_notifications(tenant: Tenant, user: UserId) -> RecordList<Notification, Gsi2> {
    let notifications = notification_partition(tenant, user);
    RecordList::new(format!("{notifications}#UNREAD"))
}

/// A sort key in [`notifications`] and [`unread_notifications`].
pub(crate) fn notification_in_time<I>(id: &str) -> SortKey<I> {
    SortKey::new(id)
}

/// The sort key before all notifications of that instant, and after all earlier ones.
pub(crate) fn notifications_from<I>(at: Timestamp) -> SortKey<I> {
    SortKey::new(Notification::beginning_at(at))
}

fn notification_partition(tenant: Tenant, user: UserId) -> String {
    of_record(tenant, user, RecordType::Notification)
}

pub(crate) fn inbox(tenant: Tenant, user: UserId) -> Key<Inbox> {
    let users = partition(tenant, RecordType::User);
    Key::new(format!("{users}#{user}"), "INBOX")
}

/// The partition of the organization's reminders.
pub(super) fn reminders(tenant: Tenant) -> String {
    format!("ORG#{tenant}#REMINDER")
}

pub(crate) fn reminded(tenant: Tenant, of: Reminded) -> AnyKey {
    let session = of
        .id_as()
        .map(|id| agent_session(tenant, id).into());
    session.unwrap_or_else(|| record_of::<()>(tenant, of.kind(), of.id()).into())
}

/// The account of a username, of which only the owner is read.
pub(crate) fn account_owner(folded_username: &str) -> Key<AccountOwner> {
    account(folded_username).read_as()
}

/// The title of a notification's subject. `None` for an id that no record has.
pub(crate) fn titled(tenant: Tenant, subject: NotificationSubject) -> Option<Key<Titled>> {
    match (*subject.kind, ReferenceId::new(subject.id)?) {
        (RecordType::AgentSession, id) => Some(agent_session(tenant, Id::new(id.get())?).read_as()),
        (RecordType::AgentPolicy, _) => Some(agent_policy(tenant).read_as()),
        (RecordType::OrganizationEntry, _) => Some(organization(tenant).read_as()),
        (kind, id) => Some(record_of(tenant, kind, id)),
    }
}

/// The users of a record with comments or messages.
pub(crate) fn involved(tenant: Tenant, talk: Talk) -> Key<Involved> {
    subject_as(tenant, talk)
}
