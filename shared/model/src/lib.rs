//! The records and their rules. Nothing in here knows of AWS or HTTP.
//!
//! A record is what the table holds, and serializes with the names of the API's fields. Where the
//! API answers with other fields than it keeps, the function that answers has a view of its own.

mod activity;
pub mod agent;
pub mod clock;
mod code;
mod comment;
mod directory;
pub mod error;
mod id;
pub mod input;
mod integer;
mod json_object;
mod list;
mod message;
mod milestone;
mod one_of;
mod password;
mod permission;
pub mod random;
mod search;
mod service_request;
mod session;
mod sid;
mod signal;
mod task;
mod text;
mod ticket;
mod time;
mod token;

pub use activity::{Activity, ActivityCreate, ActivityType, TagAttach};
pub use agent::{
    ActionResult, ActionState, ActionStep, ActionType, ActionsExecute, AgentAction, AgentSession,
    AgentSessionFilter, AgentSessionSort, AgentSessionStatus, AlreadyDone, Analysis, Answered,
    ApiCall, Approved, ApprovedActions, Claim, Effect, Idempotency, Outcome, Proposal,
    ProposedAction, Risk, answer,
};
pub use clock::{Clock, Stopwatch};
pub use code::{Code, FaultCode};
pub use comment::{Comment, CommentCreate, Thread};
pub use directory::{
    Organization, Phase, PlanFeature, Project, ProjectRef, ProjectStatus, Tag, TagRef, User,
    UserRef,
};
pub use error::{Error, Fault, Source};
pub use id::*;
pub use integer::Order;
pub use json_object::{JsonObject, JsonText};
pub use list::{AnyOf, Cursor, Limit, Listing, OrNone, Part, Sort, Who};
pub use message::Message;
pub use milestone::{
    Milestone, MilestoneCreate, MilestoneFilter, MilestoneRef, MilestoneSort, MilestoneStatus,
    MilestoneUpdate,
};
pub use password::{IsUsername, LoginPassword, NewPassword, PasswordHash};
pub use permission::{NamedPermission, Permission, Role, need};
pub use search::{ReferenceSearch, ReferenceSort};
pub use service_request::{
    Priority, ReferenceType, ServiceRequest, ServiceRequestCreate, ServiceStatus,
};
pub use session::{Login, PasswordChange, Session, SessionSort};
pub use sid::{Sid, digest};
pub use signal::{
    AlertFilter, AlertSort, LifecycleEvent, Metric, Money, Severity, Signal, SignalEntity,
    SignalStatus,
};
pub use task::{
    ProjectTaskSort, Task, TaskCreate, TaskFilter, TaskPhase, TaskPlace, TaskReorder, TaskSort,
    TaskStatus, TaskUpdate,
};
pub use text::{
    ActionId, Category, Content, Description, LoginName, SearchText, Slug, Title, TokenName,
    WrongLength,
};
pub use ticket::{Ticket, TicketMessage, TicketReply};
pub use time::{NotATimestamp, Timestamp, span};
pub use token::{Token, TokenCreate, TokenSecret, TokenSort};
