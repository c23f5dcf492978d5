//! The orders of lists. Those of one type of record stand beside it.

use crate::names::names;

/// The order of a list that has one.
macro_rules! sort {
    ($(#[doc = $doc:literal] $name:ident = $value:literal;)+) => {$(
        #[doc = $doc]
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct $name;

        impl crate::input::Field for $name {
            fn read(
                value: &serde_json::Value,
                place: &mut crate::input::Place<'_>,
            ) -> crate::input::Reading<Self> {
                if value == $value {
                    return Some(Self);
                }
                place.unknown_name(value, "a sort order", &[$value])
            }

            fn field_schema() -> crate::input::Schema {
                crate::input::reference(stringify!($name))
            }

            fn field_schemas(all: &mut Vec<(String, crate::input::Schema)>) {
                let schema = crate::input::string()
                    .enum_values(Some([$value]))
                    .description(Some($doc.trim_ascii()));
                all.push((stringify!($name).to_owned(), schema.into()));
            }
        }
    )+};
}

sort! {
    /// Agent sessions: the newest first; ties are broken by id.
    AgentSessionSort = "-createdAt";
    /// Alerts: the last to occur first; ties are broken by id.
    AlertSort = "-occurredAt";
    /// Connections: by name.
    ConnectionSort = "name";
    /// Changes of a record: the newest first.
    HistorySort = "-at";
    /// Invitations: those that were not accepted first, then the newest.
    InvitationSort = "open";
    /// Journal entries: the oldest first; ties are broken by session, chain and number.
    JournalSort = "at";
    /// Notifications: the newest first.
    NotificationSort = "-at";
    /// Entries of the organization's journal: by number, which is the oldest first.
    OrganizationJournalSort = "seq";
    /// Tasks of a project: by `order`; ties are broken by id.
    ProjectTaskSort = "order";
    /// Records that a service request may refer to: the newest first; ties are broken by id.
    ReferenceSort = "-createdAt";
    /// Hours saved: the newest days first; entries of a day by system and record.
    SavingSort = "-day";
    /// Sessions: the newest first.
    SessionSort = "-createdAt";
    /// Tokens: by id.
    TokenSort = "id";
    /// Users: by username, without regard to case.
    UserSort = "username";
}

names! {
    /// Orders of service requests; ties are broken by id.
    #[derive(Default)]
    pub enum CreatedSort = "a sort order" {
        /// The newest first.
        NewestFirst as "-createdAt" = default,
        /// The oldest first.
        OldestFirst as "createdAt",
    }
}

names! {
    /// Orders of comments and messages; ties are broken by id.
    #[derive(Default)]
    pub enum ThreadSort = "a sort order" {
        /// The oldest first.
        OldestFirst as "createdAt" = default,
        /// The newest first.
        NewestFirst as "-createdAt",
    }
}

names! {
    /// Orders of tasks; ties are broken by id.
    #[derive(Default)]
    pub enum TaskSort = "a sort order" {
        /// By id.
        Id as "id" = default,
        /// By id, descending.
        NewestFirst as "-id",
        /// The last created first.
        LastCreatedFirst as "-createdAt",
        /// The first created first.
        FirstCreatedFirst as "createdAt",
        /// The last changed first. A change may take two seconds to show in this order.
        LastChangedFirst as "-updatedAt",
        /// By `order`; with one `projectId`.
        Order as "order",
        /// The most urgent first, those without a due date last; with one `assigneeId`.
        DueDate as "dueDate",
    }
}

macro_rules! by_time {
    ($($name:ident),*) => {$(
        impl $name {
            /// Returns true if the newest comes first.
            pub fn is_descending(self) -> bool {
                self == Self::NewestFirst
            }
        }
    )*};
}

by_time!(CreatedSort, ThreadSort);

pub(crate) use {by_time, sort};
