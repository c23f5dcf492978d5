//! Ids: positive integers up to 2^53-1, which every JSON client holds exactly. An id is unique among
//! the records of its kind in all organizations, and is never reused.

use serde_json::Value;
use utoipa::{
    PartialSchema, ToSchema,
    openapi::{Ref, RefOr, Schema},
};

use crate::{
    input::{Field, Place, Reading},
    integer::{MAX_ID, integer, integer_schema},
};

/// A type of id, in bodies and paths.
pub trait Id: Copy + Sized + Send + Sync + 'static {
    /// The record that the id names, for messages: `task`.
    const NOUN: &'static str;

    /// Returns the id with this number, if it is from 1 to [`MAX_ID`].
    fn new(number: i64) -> Option<Self>;

    /// The number.
    fn get(self) -> i64;
}

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident = $article:literal $noun:literal),* $(,)?) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
        #[serde(transparent)]
        pub struct $name(i64);

        impl Id for $name {
            const NOUN: &'static str = $noun;

            fn new(number: i64) -> Option<Self> {
                (1..=MAX_ID).contains(&number).then_some(Self(number))
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

        impl Field for $name {
            fn read(value: &Value, place: &mut Place<'_>) -> Reading<Self> {
                integer(value, place, 1, MAX_ID).map(Self)
            }

            fn field_schema() -> RefOr<Schema> {
                Ref::from_schema_name(stringify!($name)).into()
            }

            fn field_schemas(all: &mut Vec<(String, RefOr<Schema>)>) {
                all.push((stringify!($name).to_owned(), <Self as PartialSchema>::schema()));
            }
        }

        impl PartialSchema for $name {
            fn schema() -> RefOr<Schema> {
                integer_schema(1, MAX_ID)
                    .description(Some(concat!("Names ", $article, " ", $noun, ".")))
                    .examples([1])
                    .into()
            }
        }

        impl ToSchema for $name {
            fn name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }
        }
    )*};
}

ids! {
    /// An organization, which is the tenant that owns every other record.
    OrganizationId = "an" "organization",
    /// A user.
    UserId = "a" "user",
    /// A project.
    ProjectId = "a" "project",
    /// A phase of a project.
    PhaseId = "a" "phase",
    /// A tag.
    TagId = "a" "tag",
    /// A milestone.
    MilestoneId = "a" "milestone",
    /// A task.
    TaskId = "a" "task",
    /// An activity.
    ActivityId = "an" "activity",
    /// A comment.
    CommentId = "a" "comment",
    /// A service request.
    ServiceRequestId = "a" "service request",
    /// A support ticket.
    TicketId = "a" "ticket",
    /// A message of a ticket.
    TicketMessageId = "a" "ticket message",
    /// An alert.
    AlertId = "an" "alert",
    /// A record of any type that a service request refers to.
    ReferenceId = "a" "record",
    /// A resolution-agent session.
    AgentSessionId = "an" "agent session",
    /// An access token.
    TokenId = "a" "token",
    /// A webhook.
    WebhookId = "a" "webhook",
}

impl From<ProjectId> for ReferenceId {
    fn from(id: ProjectId) -> Self {
        Self(id.0)
    }
}

impl From<OrganizationId> for ReferenceId {
    fn from(id: OrganizationId) -> Self {
        Self(id.0)
    }
}
