//! The orders of lists. Those of one type of record stand beside it.

use crate::base::names::names;

/// The order of a list that has one.
macro_rules! sort {
    ($($name:ident = $value:literal: $doc:literal;)+) => {$(
        #[doc = $doc]
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct $name;

        impl crate::base::input::Field for $name {
            fn read(
                value: &serde_json::Value,
                place: &mut crate::base::input::InputPlace<'_>,
            ) -> crate::base::input::Reading<Self> {
                if value == $value {
                    return Some(Self);
                }
                place.unknown_name(value, "a sort order", &[$value])
            }

            fn field_schema() -> crate::base::input::Schema {
                crate::base::input::reference(stringify!($name))
            }

            fn field_schemas(schemas: &mut Vec<(String, crate::base::input::Schema)>) {
                let schema = crate::base::input::string()
                    .enum_values(Some([$value]))
                    .description(Some($doc));
                schemas.push((stringify!($name).to_owned(), schema.into()));
            }
        }
    )+};
}

sort! {
    AgentSessionSort = "-createdAt": "Agent sessions: the newest first; ties are broken by id.";
    AlertSort = "-occurredAt": "Alerts: the last to occur first; ties are broken by id.";
    ConnectionSort = "name": "Connections: by name.";
    HistorySort = "-at": "Changes of a record: the newest first.";
    InvitationSort = "open": "Invitations: those that were not accepted first, then the newest.";
    JournalSort = "at": "Journal entries: the oldest first; ties are broken by session, chain and number.";
    NotificationSort = "-at": "Notifications: the newest first.";
    OrganizationJournalSort = "seq": "Entries of the organization's journal: by number, which is the oldest first.";
    ProjectTaskSort = "order": "Tasks of a project: by `order`; ties are broken by id.";
    ReferenceSort = "-createdAt": "Records that a service request may refer to: the newest first; ties are broken by id.";
    SavingSort = "-day": "Hours saved: the newest days first; entries of a day by system and record.";
    SessionSort = "-createdAt": "Sessions: the newest first.";
    TokenSort = "id": "Tokens: by id.";
    UserSort = "username": "Users: by username, without regard to case.";
}

names! {
    /// Orders of service requests; ties are broken by id.
    #[derive(Default)]
    pub enum CreatedSort = "a sort order" {
        NewestFirst as "-createdAt" = default: "The newest first.",
        OldestFirst as "createdAt": "The oldest first.",
    }

    /// Orders of comments and messages; ties are broken by id.
    #[derive(Default)]
    pub enum ThreadSort = "a sort order" {
        OldestFirst as "createdAt" = default: "The oldest first.",
        NewestFirst as "-createdAt": "The newest first.",
    }

    /// Orders of tasks; ties are broken by id.
    #[derive(Default)]
    pub enum TaskSort = "a sort order" {
        Id as "id" = default: "By id.",
        NewestFirst as "-id": "By id, descending.",
        LastCreatedFirst as "-createdAt": "The last created first.",
        FirstCreatedFirst as "createdAt": "The first created first.",
        LastChangedFirst as "-updatedAt":
            "The last changed first. A change may take two seconds to show in this order.",
        Order as "order": "By `order`; with one `projectId`.",
        DueDate as "dueDate": "The most urgent first, those without a due date last; with one `assigneeId`.",
    }
}

pub(crate) use sort;
