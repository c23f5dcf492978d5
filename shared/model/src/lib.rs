//! The records and their rules, without AWS and HTTP.
//!
//! The table stores a record under the field names of the API. Where an answer has other fields
//! than the record, the function has a view for it.

mod activity;
pub mod address;
mod attempts;
mod cell;
pub mod characters;
pub mod clock;
mod code;
mod comment;
mod demand;
mod detail;
mod directory;
mod email;
pub mod error;
mod feed;
mod held;
mod history;
pub mod input;
mod integer;
mod invitation;
pub mod journal;
mod json_object;
mod link;
mod list;
mod mail;
mod milestone;
mod named_records;
#[doc(hidden)]
pub mod names;
pub mod network;
mod notification;
mod or_other;
mod password;
mod permission;
mod prelude;
mod project;
mod provider;
mod provider_subject;
pub mod quota;
pub mod random;
mod record_ref;
mod record_type;
mod search;
mod secret;
mod service_request;
mod service_status;
mod session;
mod sid;
mod sort;
mod task;
mod text;
mod ticket;
mod time;
mod token;
pub mod unique_name;
mod user;
mod webhook;
pub mod words;
mod wrong_text;

pub use activity::*;
pub use attempts::QueueMessage;
pub use cell::Cell;
pub use clock::{Clock, Stopwatch};
pub use code::{Code, FaultCode, refusal};
pub use comment::*;
pub use demand::{Demand, SignInAge};
pub use detail::{DetailLevel, WithDetail};
pub use directory::*;
pub use email::Email;
pub use error::{Error, Fault, Source};
pub use feed::{FeedAction, FeedEntry, FeedQuery};
pub use held::Held;
pub use history::{FieldChange, HistoryEntry, HistoryEvent};
pub use integer::{MAX_ID, Order, Whole};
pub use invitation::{Invitation, InvitationCreate};
pub use journal::{
    CredentialType, DigestedMembers, EntryActor, EntryActorType, EntryContent, EntryCredential,
    JournalFlaw, JournalHead, Journaled, NamedSignIn, OrganizationEntry, OrganizationEvent,
    OrganizationHead, OrganizationJournalBreak, OrganizationJournalCheck,
    OrganizationJournalFilter, OrganizationJournalFrom, SessionHead, SignInEntry,
};
pub use json_object::{JsonObject, JsonText};
pub use link::*;
pub use list::{AnyOf, Cursor, FilterValue, Ids, Limit, Listing, OrNone, Part, Sort, Who};
pub use mail::{AccountChange, Letter, Mail, MailMessage, MailStatus, MailedLink};
pub use milestone::*;
pub use named_records::{NamedRecord, named_records};
pub use notification::*;
pub use or_other::OrOther;
pub use password::{LoginPassword, NewPassword, PasswordHash};
pub use permission::{NamedPermission, OrdinaryPermission, Permission, Role, need};
pub use project::*;
pub use provider::*;
pub use provider_subject::ProviderSubject;
pub use record_ref::*;
pub use record_type::*;
pub use search::{ReferenceSearch, SearchQuery, SearchWords};
pub use secret::{SealedSecret, SentSecret, is_header_text};
pub use service_request::*;
pub use service_status::{Resolution, ServiceStatus};
pub use session::{Login, PasswordChange, Session, SignInMethod};
pub use sid::{Sid, digest};
pub use sort::*;
pub use task::*;
pub use text::*;
pub use ticket::*;
pub use time::{NotATimestamp, Timestamp, span};
pub use token::{Token, TokenCreate, TokenSecret};
pub use user::*;
pub use webhook::*;
pub use wrong_text::{CommonPassword, WrongText};
