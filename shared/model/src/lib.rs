//! The records and their rules, without AWS and HTTP.
//!
//! The table stores a record under the field names of the API. Where an answer has other fields than
//! the record, the function has a view for it.

mod activity;
pub mod agent;
pub mod clock;
mod code;
mod comment;
mod directory;
pub mod error;
mod history;
mod id;
pub mod input;
mod integer;
mod json_object;
mod list;
mod message;
mod milestone;
mod names;
mod password;
pub mod pattern;
mod permission;
mod project;
pub mod random;
pub mod refusal;
mod search;
mod service_request;
mod service_status;
mod session;
mod sid;
mod signal;
mod sort;
mod task;
mod text;
mod ticket;
mod time;
mod token;
mod user;
mod wrong_text;

pub use activity::{
    Activity, ActivityCreate, ActivityFilter, ActivityType, ActivityUpdate, TagAttach,
};
pub use agent::{
    ActionApproval, ActionDone, ActionHandOver, ActionResult, ActionState, ActionStep, ActionType,
    ActionVerdict, ActionWaive, ActionsExecute, ActionsPreview, Admission, AgentAction, AgentPause,
    AgentPolicy, AgentSession, AgentSessionFilter, AgentSessionStatus, AllowedCall, AlreadyDone,
    Analysis, AnswerCondition, Answered, ApiCall, Approved, ApprovedActions, Approver, Approving,
    Asked, Asking, AuthScheme, BaseUrl, BasicUser, BodyFormat, Breaker, BreakerState, CallLimits,
    CallPath, Called, Cancelled, Case, Charge, Claim, ConfidenceFrom, Connection, ConnectionAuth,
    ConnectionPut, ConnectionRevision, ConnectionTraffic, Digest, Digests, DryRun, Effect,
    EffectGuard, ErrorCode, Evidence, FactCondition, Facts, FindingWeight, FixedHeader, Handling,
    HandlingStatus, HeaderName, HeaderText, HeldEffect, Hold, Idempotency, IdempotencyKeys,
    JournalActor, JournalActorType, JournalBreak, JournalCheck, JournalEntry, JournalEvent,
    JournalFlaw, JournalHead, JournalPeriod, Judgement, KeyName, KeyPlace, Looked, Looks, METHODS,
    MOST_CONNECTIONS, MoneyEffect, MoneySum, NotHelped, Note, Outcome, ParameterName,
    PlaybookRecord, PlaybookRuns, PlaybookVersion, PolicyCaps, PolicyMatch, PolicyPreset,
    PolicyRule, PolicySet, PolicySubject, PolicyVerdict, Precondition, Proposal, ProposedAction,
    Proposers, ReadEvidence, Reconciliation, ReconciliationStatus, Rejection, Replays, Reply,
    RequestTurn, Requirement, Risk, Saving, SessionReject, Sight, Silence, StepAnswer, StepResult,
    StepStatus, Surroundings, TargetEffect, TargetRead, Verdict, VerdictOutcome, Verification,
    VerificationStatus, answer, check_journal, retry_after, without,
};
pub use clock::{Clock, Stopwatch};
pub use code::{Code, FaultCode};
pub use comment::{Comment, CommentCreate, CommentUpdate, Thread};
pub use directory::{
    Organization, OrganizationUpdate, PlanFeature, Tag, TagCreate, TagRef, TagUpdate,
};
pub use error::{Error, Fault, Source};
pub use history::{FieldChange, HistoryEntry, HistoryEvent, HistoryOf};
pub use id::*;
pub use integer::{MAX_ID, Order, Whole};
pub use json_object::{JsonObject, JsonText};
pub use list::{AnyOf, Cursor, Limit, Listing, OrNone, Part, Sort, Who};
pub use message::Message;
pub use milestone::{
    Milestone, MilestoneCreate, MilestoneFilter, MilestoneRef, MilestoneStatus, MilestoneUpdate,
};
pub use password::{IsUsername, LoginPassword, NewPassword, PasswordHash};
pub use pattern::{
    ClassHistory, Cycle, FiredOnHistory, LabelledSignal, Occurrence, Pattern, PatternWindow,
    SharedLabel,
};
pub use permission::{NamedPermission, Permission, Role, need};
pub use project::{
    Phase, PhaseCreate, PhaseUpdate, Project, ProjectCreate, ProjectFilter, ProjectRef,
    ProjectStatus, ProjectUpdate,
};
pub use search::ReferenceSearch;
pub use service_request::{
    ActionRef, Priority, ReferenceType, ServiceRequest, ServiceRequestCreate, ServiceRequestFilter,
    ServiceRequestUpdate,
};
pub use service_status::{Resolution, ServiceStatus};
pub use session::{Login, PasswordChange, Session};
pub use sid::{Sid, digest};
pub use signal::{
    AlertCreate, AlertEntity, AlertFilter, AlertLifecycleEvent, AlertMetric, AlertMoney, AlertRef,
    AlertUpdate, AlertmanagerAlert, AlertmanagerStatus, AlertmanagerVersion, AlertmanagerWebhook,
    Currency, Labels, LifecycleEvent, Measure, Metric, MinorUnits, Money, NewSignal, Recurrence,
    Severity, Signal, SignalEntity, SignalStatus,
};
pub use sort::{
    ActivitySort, AgentSessionSort, AlertSort, ConnectionSort, CreatedSort, HistorySort,
    JournalSort, MilestoneSort, PhaseSort, ProjectSort, ProjectTaskSort, ReferenceSort, SavingSort,
    SessionSort, TagSort, TaskSort, ThreadSort, TokenSort, UserSort,
};
pub use task::{
    Task, TaskCreate, TaskFilter, TaskPhase, TaskPlace, TaskReorder, TaskStatus, TaskUpdate,
};
pub use text::{
    ActionId, AlertText, Category, Content, Description, EntityId, ExternalId, Fingerprint,
    FullName, LoginName, MetricName, OrganizationName, Reason, SearchText, Slug, SourceName,
    StateName, SystemName, TagName, Title, TokenName, Unit, Username,
};
pub use ticket::{Ticket, TicketCreate, TicketFilter, TicketMessage, TicketReply, TicketUpdate};
pub use time::{NotATimestamp, Timestamp, span};
pub use token::{Token, TokenCreate, TokenSecret};
pub use user::{
    Held, PasswordSet, Permissions, User, UserCreate, UserFilter, UserRef, UserUpdate, each_once,
};
pub use wrong_text::WrongText;
