//! The types of records. A row says each fact of a type once: all code looks it up there.

use serde::{Deserialize, Serialize};

use crate::{base::names::names, people::Permission};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordFacts {
    /// The record in a sentence of the OpenAPI document, in lines.
    pub about: &'static [&'static str],
    /// The record in messages: `service request`.
    pub noun: &'static str,
    /// The record in keys: `REQUEST`. A stored key never changes.
    pub key: &'static str,
    /// The attribute by which other records name it: `serviceRequestId`.
    pub named_by: &'static str,
    pub path: RecordPath,
    pub view: View,
    /// The permission to read it.
    pub permission: Permission,
    /// The types of records that it may belong to.
    pub parents: &'static [RecordType],
    pub title: TitleOf,
    /// The type of the comments or messages that users write on it.
    pub thread: Option<RecordType>,
    pub has_history: bool,
    pub has_tags: bool,
    /// True if the service reminds users of it.
    pub has_reminders: bool,
    pub deletion: Deletion,
}

/// The place of a record in the API.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordPath {
    /// `/api/tasks/17`
    Record(&'static str),
    /// `/api/tags`
    List(&'static str),
    /// `/api/projects/1/phases`, below its parent.
    Below(&'static str),
    /// The path of its parent.
    Parent,
    Nowhere,
}

/// The view of the desk that shows a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum View {
    /// `/#/tasks/17`
    Record(&'static str),
    /// `/#/settings`
    Page(&'static str),
    /// The view of its parent.
    Parent,
}

/// The text by which people know a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TitleOf {
    Title,
    /// The beginning of its description.
    Description,
    /// The type of the alert.
    SignalType,
    Url,
    /// This text, for all of them.
    Fixed(&'static str),
}

/// The work that a deletion leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deletion {
    Nothing,
    /// Its comments are to be deleted.
    Comments,
    /// The tasks that an index lists by it are to be unlinked.
    LinkedTasks,
    /// The tasks of its project are to be unlinked.
    TasksOfProject,
    /// Tasks, activities, service requests and tickets are to lose the tag.
    Tags,
}

impl RecordFacts {
    const USUAL: Self = Self {
        about: &[],
        noun: "",
        key: "",
        named_by: "",
        path: RecordPath::Nowhere,
        view: View::Parent,
        permission: Permission::ViewWork,
        parents: &[],
        title: TitleOf::Title,
        thread: None,
        has_history: false,
        has_tags: false,
        has_reminders: false,
        deletion: Deletion::Nothing,
    };
}

macro_rules! records {
    ($(
        $name:ident $(($id:ident = $article:literal))?: $about:literal { $($fact:ident: $value:expr),+ $(,)? }
    )+) => {
        names! {
            /// A type of record.
            pub enum RecordType {
                $($name: $about,)+
            }
        }

        impl RecordType {
            pub const fn facts(self) -> &'static RecordFacts {
                match self {
                    $(Self::$name => {
                        const FACTS: &RecordFacts = &RecordFacts {
                            about: &[$about],
                            $($fact: $value,)+
                            ..RecordFacts::USUAL
                        };
                        FACTS
                    })+
                }
            }
        }

        $($(
            id! {
                #[doc = concat!("The id of a [`RecordType::", stringify!($name), "`].")]
                $id = $article RecordType::$name.facts().noun
            }

            impl RecordId for $id {
                const TYPE: RecordType = RecordType::$name;
            }
        )?)+
    };
}

/// A type of id, in bodies and paths. An id is a positive integer up to 2^53-1, which every JSON
/// client holds exactly. It is unique among the records of its kind in all organizations, and is
/// never reused.
pub trait Id: Copy + Sized + Send + Sync + 'static {
    /// The record that the id names, for messages: `task`.
    const NOUN: &'static str;

    /// Returns the id with this number, if it is from 1 to [`MAX_ID`](crate::base::MAX_ID).
    fn new(number: i64) -> Option<Self>;

    fn get(self) -> i64;
}

/// Declares a type of id, with the noun of its records and the noun's article.
macro_rules! id {
    ($(#[$doc:meta])+ $name:ident = $article:literal $noun:expr) => {
        $(#[$doc])+
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
        #[serde(transparent)]
        pub struct $name(i64);

        /// The form is the number. The name of the type tells
        /// [`named_records`](fn@crate::base::named_records) of it.
        impl Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                to.serialize_newtype_struct(stringify!($name), &self.0)
            }
        }

        impl Id for $name {
            const NOUN: &'static str = $noun;

            fn new(number: i64) -> Option<Self> {
                (1..=crate::base::MAX_ID).contains(&number).then_some(Self(number))
            }

            fn get(self) -> i64 {
                self.0
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.0.fmt(f)
            }
        }

        impl crate::base::input::Component for $name {
            fn parse(
                value: &serde_json::Value,
                place: &mut crate::base::input::InputPlace<'_>,
            ) -> crate::base::input::Reading<Self> {
                crate::base::integer::integer(value, place, 1, crate::base::MAX_ID).map(Self)
            }
        }

        impl utoipa::PartialSchema for $name {
            fn schema() -> crate::base::input::Schema {
                crate::base::integer::integer_schema(1, crate::base::MAX_ID)
                    .description(Some(format!("Names {} {}.", $article, <Self as Id>::NOUN)))
                    .examples([1])
                    .into()
            }
        }

        impl utoipa::ToSchema for $name {}
    };
}

pub trait RecordId: Id {
    const TYPE: RecordType;
}

id! {
    /// A record of any type.
    ReferenceId = "a" "record"
}

impl<I: RecordId> From<I> for ReferenceId {
    fn from(id: I) -> Self {
        Self(id.get())
    }
}

records! {
    Task(TaskId = "a"): "A task." {
        noun: "task", key: "TASK", named_by: "taskId",
        path: RecordPath::Record("tasks"), view: View::Record("tasks"),
        parents: &[RecordType::Project],
        thread: Some(RecordType::Comment), deletion: Deletion::Comments,
        has_history: true, has_tags: true, has_reminders: true,
    }
    Milestone(MilestoneId = "a"): "A milestone." {
        noun: "milestone", key: "MILESTONE", named_by: "milestoneId",
        path: RecordPath::Record("milestones"),
        parents: &[RecordType::Project],
        deletion: Deletion::LinkedTasks,
        has_history: true,
    }
    ServiceRequest(ServiceRequestId = "a"): "A service request." {
        noun: "service request", key: "REQUEST", named_by: "serviceRequestId",
        path: RecordPath::Record("service-requests"), view: View::Record("requests"),
        thread: Some(RecordType::Comment), deletion: Deletion::Comments,
        has_history: true, has_tags: true,
    }
    Ticket(TicketId = "a"): "A support ticket." {
        noun: "ticket", key: "TICKET", named_by: "ticketId",
        path: RecordPath::Record("managed-services/ticket"), view: View::Record("tickets"),
        permission: Permission::ViewManagedServices,
        thread: Some(RecordType::TicketMessage),
        has_history: true, has_tags: true,
    }
    Activity(ActivityId = "an"): "An activity." {
        noun: "activity", key: "ACTIVITY", named_by: "activityId",
        path: RecordPath::Record("activities"), view: View::Page(""),
        parents: &[RecordType::Project], title: TitleOf::Description,
        thread: Some(RecordType::Comment), deletion: Deletion::Comments,
        has_tags: true,
    }
    Project(ProjectId = "a"): "A project." {
        noun: "project", key: "PROJECT", named_by: "projectId",
        path: RecordPath::Record("projects"), view: View::Record("projects"),
        has_history: true,
    }
    Phase(PhaseId = "a"): "A phase of a project." {
        noun: "phase", key: "PHASE", named_by: "phaseId",
        path: RecordPath::Below("phases"),
        parents: &[RecordType::Project],
        deletion: Deletion::TasksOfProject,
    }
    Tag(TagId = "a"): "A tag." {
        noun: "tag", key: "TAG", named_by: "tagIds",
        path: RecordPath::List("tags"),
        deletion: Deletion::Tags,
    }
    Customer(CustomerId = "a"): "A customer." {
        noun: "customer", key: "CUSTOMER", named_by: "customerId",
        path: RecordPath::Record("customers"), view: View::Record("customers"),
        has_history: true,
    }
    Comment(CommentId = "a"): "A comment on a service request, an activity or a task." {
        noun: "comment", key: "COMMENT", named_by: "commentId",
        path: RecordPath::Below("comments"),
        parents: &[RecordType::Task, RecordType::Activity, RecordType::ServiceRequest],
    }
    TicketMessage(TicketMessageId = "a"): "A message of a support ticket." {
        noun: "ticket message", key: "MESSAGE",
        path: RecordPath::Parent,
        permission: Permission::ViewManagedServices,
        parents: &[RecordType::Ticket],
    }
    User(UserId = "a"): "A user." {
        noun: "user", key: "USER", named_by: "userId",
        path: RecordPath::Record("users"), view: View::Page("settings"),
    }
    Alert(AlertId = "an"): "An alert." {
        noun: "alert", key: "ALERT", named_by: "alertId",
        path: RecordPath::Record("concierge/alerts"), view: View::Record("alerts"),
        permission: Permission::ViewAgentRemediation,
    }
    AgentSession(AgentSessionId = "an"): "An agent session." {
        noun: "agent session", key: "AGENT_SESSION", named_by: "sessionId",
        path: RecordPath::Record("concierge/agent-sessions"), view: View::Record("agent-sessions"),
        permission: Permission::ViewAgentRemediation,
        title: TitleOf::SignalType,
        has_reminders: true,
    }
    Organization(OrganizationId = "an"): "The organization itself." {
        noun: "organization", key: "ORGANIZATION", named_by: "organizationId",
        path: RecordPath::Record("organizations"), view: View::Page("settings"),
    }
    AgentPolicy: "The agent's policy, with the id of the organization." {
        noun: "policy", key: "AGENT_POLICY",
        path: RecordPath::List("concierge/policy"), view: View::Page("settings"),
        permission: Permission::ViewAgentRemediation,
        title: TitleOf::Fixed("Approval policy"),
    }
    Webhook(WebhookId = "a"): "A webhook." {
        noun: "webhook", key: "WEBHOOK", named_by: "webhookId",
        path: RecordPath::Record("webhooks"), view: View::Page("settings"),
        permission: Permission::ManageOrganization,
        title: TitleOf::Url,
    }
    OrganizationEntry: "An entry of the organization's journal, with its number." {
        noun: "journal entry", key: "ORGANIZATION_JOURNAL",
        path: RecordPath::List("journal"), view: View::Page("settings"),
        permission: Permission::ManageOrganization,
        title: TitleOf::Fixed("Organization"),
    }
    Token(TokenId = "a"): "An access token." { noun: "token", key: "TOKEN", named_by: "tokenId" }
    Invitation(InvitationId = "an"): "An invitation to the organization." { noun: "invitation", key: "INVITATION", named_by: "invitationId" }
    Notification: "A notification of a user." {
        noun: "notification", key: "NOTIFICATION",
        path: RecordPath::List("notifications"),
    }
    Cleanup: "The work that is left to do after a delete." { noun: "cleanup", key: "CLEANUP" }
    Mail: "A mail to a user." { noun: "mail", key: "MAIL" }
}

impl RecordType {
    /// Returns true for comments and messages.
    pub fn is_of_thread(self) -> bool {
        let mut kinds = Self::ALL.iter();
        kinds.any(|kind| kind.facts().thread == Some(self))
    }

    pub fn named(name: &str) -> Option<Self> {
        let mut kinds = Self::ALL.iter().copied();
        kinds.find(|kind| kind.name() == name)
    }

    /// Returns the path of the API with a record of the type, or with the list that has it.
    /// `parent` is the path of the record that it belongs to.
    pub fn path(self, id: i64, parent: Option<String>) -> Option<String> {
        match self.facts().path {
            RecordPath::Record(records) => Some(format!("/api/{records}/{id}")),
            RecordPath::List(list) => Some(format!("/api/{list}")),
            RecordPath::Below(records) => Some(format!("{}/{records}", parent?)),
            RecordPath::Parent => parent,
            RecordPath::Nowhere => None,
        }
    }

    /// Returns the view of the desk that shows a record of the type, to be appended to the desk's
    /// address. `parent` is the view of the record that it belongs to.
    pub fn view(self, id: i64, parent: Option<String>) -> String {
        match self.facts().view {
            View::Record(records) => format!("/#/{records}/{id}"),
            View::Page(page) => format!("/#/{page}"),
            View::Parent => parent.unwrap_or_else(|| "/#/".to_owned()),
        }
    }
}

/// Declares types of records that a part of the service handles. Each is a [`RecordType`], in the
/// order of the OpenAPI document.
macro_rules! subsets {
    ($(
        $(#[doc = $about:literal])+
        $name:ident $(as $schema:literal)? $(= $noun:literal)?: $($kind:ident)|+;
    )+) => {$(
        $(#[doc = $about])+
        #[derive(
            Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
        )]
        #[serde(try_from = "RecordType")]
        pub struct $name(RecordType);

        #[expect(non_upper_case_globals, reason = "they are named as the types")]
        impl $name {
            $(
                #[doc = concat!("[`RecordType::", stringify!($kind), "`]")]
                pub const $kind: Self = Self(RecordType::$kind);
            )+

            pub const ALL: &'static [Self] = &[$(Self::$kind),+];

            /// Returns the type of an id's records. The id of another type does not compile.
            pub const fn of_id<I: RecordId>() -> Self {
                const { assert!(Self::of(I::TYPE).is_some(), "another type of record") }
                Self(I::TYPE)
            }

            pub const fn of(kind: RecordType) -> Option<Self> {
                match kind {
                    $(RecordType::$kind)|+ => Some(Self(kind)),
                    _ => None,
                }
            }
        }

        impl std::ops::Deref for $name {
            type Target = RecordType;

            fn deref(&self) -> &RecordType {
                &self.0
            }
        }

        impl PartialEq<RecordType> for $name {
            fn eq(&self, kind: &RecordType) -> bool {
                self.0 == *kind
            }
        }

        impl TryFrom<RecordType> for $name {
            type Error = OtherType;

            fn try_from(kind: RecordType) -> Result<Self, OtherType> {
                Self::of(kind).ok_or(OtherType)
            }
        }

        impl utoipa::PartialSchema for $name {
            fn schema() -> crate::base::input::Schema {
                let names = Self::ALL.iter().map(|kind| (kind.name(), kind.facts().about));
                crate::base::names::schema(&[$($about),+], &names.collect::<Vec<_>>())
            }
        }

        impl utoipa::ToSchema for $name {
            fn name() -> std::borrow::Cow<'static, str> {
                [$($schema,)? stringify!($name)][0].into()
            }
        }

        $(impl crate::base::names::OneOf for $name {
            const NOUN: &'static str = $noun;
        })?
    )+};
}

/// A type of record outside the subset.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("another type of record")]
pub struct OtherType;

subsets! {
    /// The type of a record in the change feed.
    FeedType as "RecordType" = "a type of record":
        Task | Milestone | ServiceRequest | Ticket | Activity | Project | Phase | Tag | Comment
        | TicketMessage | User | Alert | AgentSession | Customer;
    /// The type of a record that search finds.
    SearchedType = "a type of record that search finds":
        Task | ServiceRequest | Ticket | Project | Milestone | Activity | Comment | TicketMessage;
    /// The type of a notification's subject.
    SubjectType:
        Task | ServiceRequest | Ticket | Activity | Milestone | Project | AgentSession | AgentPolicy
        | Webhook | OrganizationEntry;
    /// The type of a record that a service request refers to.
    ReferenceType = "a reference type": Project | Organization;
    /// The kind of an item outside the change feed. Its changes have other effects.
    UnlistedKind: Notification | AgentPolicy | Webhook | Cleanup | Mail | OrganizationEntry;
}

impl UnlistedKind {
    /// Returns true for a kind whose changes users are notified of. The publisher handles the
    /// others.
    pub const fn is_indexed(self) -> bool {
        SubjectType::of(self.0).is_some()
    }
}
