//! Sessions: proposals, approvals, and settlements.

mod after_end;
mod approval;
mod evidence;
mod execute;
mod journal;
mod manual;
mod next;
mod proposal;
mod record;
mod refusal;
mod settle;
mod verdict;

pub(crate) use after_end::OtherEffect;
pub(crate) use approval::EXECUTE;
pub use approval::{ActionRecord, ApprovedActions};
pub use evidence::{Case, Confidence, Evidence, PlaybookRecord, PlaybookRuns, ReadEvidence};
pub use execute::{
    ActionsExecute, ActionsPreview, Approver, Approving, Digest, Digests, MoneySum, distinct,
};
pub use journal::{JournalBreak, JournalCheck, check_journal};
pub use manual::{ActionHandOver, RequestChange};
pub(crate) use next::quoted_action;
pub use next::{Next, OpenWork, SessionContext};
pub use proposal::{Analysis, Handling, HandlingStatus, NotApplicable, Proposal, ProposedAction};
pub use record::{
    AgentSession, AgentSessionFilter, AgentSessionStatus, NextFilter, Rejection, SessionAlert,
    SessionAnalysis, SessionPeople, SessionPlan, SessionReject, SessionTimes,
};
pub use refusal::{alert_resolved, followed_by_another};
pub(crate) use refusal::{expired, superseded};
pub use verdict::{ActionSettle, SettleOutcome};
