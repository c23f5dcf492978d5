//! Values and rules of all records, and what each record has: its type, its id, its history.

pub mod address;
pub(crate) mod cell;
pub mod characters;
pub mod clock;
pub(crate) mod code;
pub(crate) mod detail;
pub(crate) mod email;
pub mod error;
pub(crate) mod history;
pub mod input;
pub(crate) mod integer;
pub(crate) mod json_object;
pub(crate) mod list;
pub(crate) mod named_records;
#[doc(hidden)]
pub mod names;
pub mod network;
pub(crate) mod or_other;
pub(crate) mod query_words;
pub(crate) mod queue_message;
pub mod quota;
pub mod random;
pub(crate) mod record_ref;
pub(crate) mod record_type;
pub(crate) mod secret;
pub(crate) mod sort;
pub(crate) mod text;
pub(crate) mod time;
pub mod unique_name;
pub mod words;
pub(crate) mod wrong_text;

pub use cell::Cell;
pub use clock::{Clock, Stopwatch};
pub use code::{Code, FaultCode, refusal};
pub use detail::{DetailLevel, WithDetail};
pub use email::Email;
pub use error::{Error, Fault, Source};
pub use history::{FieldChange, HistoryEntry, HistoryEvent};
pub use integer::{MAX_ID, Order, Whole};
pub use json_object::{JsonObject, JsonText};
pub use list::{AnyOf, Cursor, FilterValue, Ids, Limit, Listing, OrNone, Part, SortOrder, Who};
pub use named_records::{NamedRecord, named_records};
pub use or_other::OrOther;
pub use query_words::{QueryWords, SearchWords, TitleWords};
pub use queue_message::QueueMessage;
pub use record_ref::{
    CarriedTags, Deleted, HistoryOf, NotificationSubject, RecordName, Reminded, Tagged, Talk,
    Thread, WantedTags,
};
pub use record_type::{
    ActivityId, AgentSessionId, AlertId, CommentId, CustomerId, Deletion, FeedType, Id,
    InvitationId, MilestoneId, OrganizationId, OtherType, PhaseId, ProjectId, RecordFacts,
    RecordId, RecordPath, RecordType, ReferenceId, ReferenceType, SearchedType, ServiceRequestId,
    SubjectType, TagId, TaskId, TicketId, TicketMessageId, TitleOf, TokenId, UnlistedKind, UserId,
    View, WebhookId,
};
pub use secret::{SealedSecret, SentSecret, is_header_text};
pub use sort::{
    AgentSessionSort, AlertSort, ConnectionSort, CreatedSort, HistorySort, InvitationSort,
    JournalSort, NotificationSort, OrganizationJournalSort, ProjectTaskSort, ReferenceSort,
    SavingSort, SessionSort, TaskSort, ThreadSort, TokenSort, UserSort,
};
pub use text::{
    ActionId, AlertText, Category, Content, CustomerName, DeliveryId, Description, EntityId,
    ExternalId, Fingerprint, Form, FullName, JournalSubject, LinkToken, LoginName, MetricName,
    NotificationId, OrganizationName, Reason, SearchText, SessionName, Slug, SourceName, StateName,
    SystemName, TagName, Title, TokenName, Unit, Username,
};
pub use time::{NotATimestamp, Timestamp, Window, span};
pub use wrong_text::{CommonPassword, WrongText};
