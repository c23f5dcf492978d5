//! Sessions: proposals, approvals, and settlements.

mod after_end;
mod approval;
mod evidence;
mod execute;
mod manual;
mod next;
mod proposal;
mod record;
mod settle;
mod verdict;

pub use approval::{ActionRecord, Approved, ApprovedActions};
pub use evidence::{
    Case, Confidence, Evidence, PlaybookRecord, PlaybookRuns, PlaybookVersion, ReadEvidence,
};
pub use execute::{
    ActionsExecute, ActionsPreview, Approver, Approving, Digest, Digests, MoneySum, distinct,
};
pub use manual::{ActionHandOver, RequestChange};
pub use next::{Next, OpenWork, SessionContext};
pub use proposal::{Analysis, Handling, HandlingStatus, NotApplicable, Proposal, ProposedAction};
pub use record::{
    AgentSession, AgentSessionFilter, AgentSessionStatus, NextFilter, Rejection, SessionAlert,
    SessionAnalysis, SessionPeople, SessionPlan, SessionReject, SessionTimes,
};
pub use settle::Cancelled;
pub use verdict::{ActionSettle, SettleOutcome};
