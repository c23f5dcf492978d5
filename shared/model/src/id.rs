//! Ids: positive integers up to 2^53-1, which every JSON client holds exactly. They are unique per
//! kind of record across all organizations and are never used again.

/// The largest id, and the largest integer that a JavaScript number holds exactly.
pub const MAX_ID: i64 = (1 << 53) - 1;

/// A kind of id: what [`crate::input::id`] and the path extractor read.
pub trait Id: Copy + Sized + Send {
    /// What the id names, for messages: `task`.
    const NOUN: &'static str;

    /// The id of that number, when it is within 1 to [`MAX_ID`].
    fn new(number: i64) -> Option<Self>;

    /// The number.
    fn get(self) -> i64;
}

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident = $noun:literal),* $(,)?) => {$(
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

        impl utoipa::PartialSchema for $name {
            fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::schema::Schema> {
                use utoipa::openapi::{KnownFormat, ObjectBuilder, SchemaFormat, schema::Type};
                ObjectBuilder::new()
                    .schema_type(Type::Integer)
                    .format(Some(SchemaFormat::KnownFormat(KnownFormat::Int64)))
                    .minimum(Some(1))
                    .maximum(Some(MAX_ID))
                    .description(Some(concat!("Id of a ", $noun)))
                    .into()
            }
        }

        impl utoipa::ToSchema for $name {
            fn name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }
        }
    )*};
}

ids! {
    /// An organization, which is the tenant that owns every other record.
    OrganizationId = "organization",
    /// A user.
    UserId = "user",
    /// A project.
    ProjectId = "project",
    /// A phase of a project.
    PhaseId = "phase",
    /// A tag.
    TagId = "tag",
    /// A milestone.
    MilestoneId = "milestone",
    /// A task.
    TaskId = "task",
    /// An activity.
    ActivityId = "activity",
    /// A comment.
    CommentId = "comment",
    /// A service request.
    ServiceRequestId = "service request",
    /// A support ticket.
    TicketId = "ticket",
    /// A message of a ticket.
    TicketMessageId = "ticket message",
    /// A signal (alert).
    SignalId = "signal",
    /// A resolution-agent session.
    AgentSessionId = "agent session",
}
