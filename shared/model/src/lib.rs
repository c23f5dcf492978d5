//! The records and their rules. Nothing in here knows of AWS or HTTP.
//!
//! A record is what the table holds, and serializes with the names of the API's fields. Where the
//! API answers with other fields than it keeps, the function that answers has a view of its own.

mod activity;
pub mod agent;
pub mod clock;
mod comment;
mod directory;
pub mod error;
mod id;
pub mod input;
mod json_text;
mod message;
mod milestone;
mod permission;
pub mod random;
mod service_request;
mod session;
mod sid;
mod signal;
mod task;
mod ticket;
mod time;

pub use activity::{Activity, ActivityType};
pub use agent::{
    ActionResult, ActionState, ActionStep, ActionType, AgentAction, AgentSession,
    AgentSessionStatus, AlreadyDone, Analysis, Answered, ApiCall, Approved, ApprovedActions, Claim,
    Effect, Idempotency, Outcome, Proposal, ProposedAction, Risk, answer,
};
pub use clock::{Clock, Stopwatch};
pub use comment::{Comment, Thread};
pub use directory::{
    Organization, Phase, PlanFeature, Project, ProjectRef, ProjectStatus, Tag, User, UserRef,
};
pub use error::{Error, Fault, Source};
pub use id::*;
pub use json_text::JsonText;
pub use message::Message;
pub use milestone::{Milestone, MilestoneRef, MilestoneStatus};
pub use permission::{Permission, Role};
pub use service_request::{Priority, ReferenceType, ServiceRequest, ServiceStatus};
pub use session::Session;
pub use sid::{Sid, digest};
pub use signal::{LifecycleEvent, Metric, Money, Signal, SignalEntity, SignalStatus};
pub use task::{Task, TaskStatus};
pub use ticket::{Ticket, TicketMessage};
pub use time::{NotATimestamp, Timestamp, span};
