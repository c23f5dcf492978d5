//! Resolution-agent sessions: an analysis of a signal, the actions proposed for it, and what
//! became of those that were approved.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{AgentSessionId, JsonText, OrganizationId, SignalId, Timestamp, UserId, span};

/// A session of the resolution agent on one signal.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AgentSession {
    /// Unique id.
    pub id: AgentSessionId,
    /// The owning organization, which is the signal's.
    pub organization_id: OrganizationId,
    /// The signal.
    pub alert_id: SignalId,
    /// The signal's class and instant, which say where it stands among the signals of its class.
    pub signal_type: String,
    /// See `signal_type`.
    pub occurred_at: Timestamp,
    /// Where the session stood when it was written; see [`status_at`](Self::status_at).
    pub status: AgentSessionStatus,
    /// Why it failed.
    pub error: Option<String>,
    /// The newest analysis.
    pub analysis: Option<Analysis>,
    /// The number of the newest proposal, which its action ids carry; 0 before the first.
    #[serde(default)]
    pub proposal: i64,
    /// The actions of the newest proposal.
    #[serde(default)]
    pub proposed_actions: Vec<ProposedAction>,
    /// The ids that were approved last, ascending.
    #[serde(default)]
    pub approved: Vec<String>,
    /// Who opened it.
    pub created_by: UserId,
    /// When the sweeper has to look at it, and when an analysis or a proposal is void.
    pub due_at: Option<Timestamp>,
    /// When it was opened.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}

/// Where a session stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum AgentSessionStatus {
    /// Opened.
    Started,
    /// The signal is being analysed.
    Analyzing,
    /// Actions are proposed; for 24 hours.
    AwaitingConfirmation,
    /// Approved actions run.
    Executing,
    /// Actions that run end; nothing new starts.
    Cancelling,
    /// Every approved action succeeded.
    Completed,
    /// The analysis or an approved action did not succeed.
    Failed,
    /// Cancelled.
    Cancelled,
    /// Nobody approved anything within 24 hours.
    Expired,
}

impl AgentSessionStatus {
    /// Whether the signal may get a new session. A failed session may still be executed again.
    #[must_use]
    pub const fn has_ended(self) -> bool {
        matches!(
            self,
            Self::Completed | Self::Failed | Self::Cancelled | Self::Expired
        )
    }

    /// Whether approved actions may still change.
    #[must_use]
    pub const fn is_running(self) -> bool {
        matches!(self, Self::Executing | Self::Cancelling)
    }

    /// The name as the API writes it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Started => "started",
            Self::Analyzing => "analyzing",
            Self::AwaitingConfirmation => "awaiting_confirmation",
            Self::Executing => "executing",
            Self::Cancelling => "cancelling",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
            Self::Expired => "expired",
        }
    }
}

impl AgentSession {
    /// How long an analysis may take before it counts as interrupted, in milliseconds.
    pub const ANALYSIS: i64 = 2 * span::MINUTE;
    /// How long a proposal waits for its approval, in milliseconds.
    pub const CONFIRMATION: i64 = 24 * span::HOUR;
    /// How long after a change the sweeper looks whether all actions ended, in milliseconds.
    pub const SETTLE_CHECK: i64 = span::MINUTE;
    /// What a session says whose analysis was interrupted.
    pub const INTERRUPTED: &'static str = "The analysis was interrupted.";

    /// Where it stands at `now`: a proposal expires, and an analysis counts as interrupted, when
    /// its time is up, whether or not the sweeper has written so yet.
    #[must_use]
    pub fn status_at(&self, now: Timestamp) -> AgentSessionStatus {
        let is_over = self.due_at.is_some_and(|due| due <= now);
        match self.status {
            AgentSessionStatus::AwaitingConfirmation if is_over => AgentSessionStatus::Expired,
            AgentSessionStatus::Analyzing if is_over => AgentSessionStatus::Failed,
            status => status,
        }
    }

    /// Why it failed, as of `now`.
    #[must_use]
    pub fn error_at(&self, now: Timestamp) -> Option<&str> {
        match (self.status, self.status_at(now)) {
            (AgentSessionStatus::Analyzing, AgentSessionStatus::Failed) => Some(Self::INTERRUPTED),
            _ => self.error.as_deref(),
        }
    }

    /// The id of an action of the proposal with that number; `place` counts from 1.
    #[must_use]
    pub fn action_id(&self, proposal: i64, place: usize) -> String {
        format!("s{}-p{proposal}-a{place}", self.id)
    }

    /// Whether an id was given out by an earlier proposal of this session, which voided it.
    #[must_use]
    pub fn is_void(&self, action_id: &str) -> bool {
        action_id
            .strip_prefix(&format!("s{}-p", self.id))
            .and_then(|rest| rest.split_once("-a"))
            .and_then(|(proposal, place)| {
                Some((proposal.parse::<i64>().ok()?, place.parse::<u32>().ok()?))
            })
            .is_some_and(|(proposal, place)| place >= 1 && (1..self.proposal).contains(&proposal))
    }

    /// A proposed action by its id.
    #[must_use]
    pub fn proposed(&self, action_id: &str) -> Option<&ProposedAction> {
        self.proposed_actions
            .iter()
            .find(|action| action.id == action_id)
    }
}

/// What the agent found out about a signal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Analysis {
    /// What most likely caused it.
    pub root_cause: String,
    /// What hangs on it: money and records.
    pub impact: String,
    /// The systems it touches.
    pub affected_systems: Vec<String>,
    /// What the entity went through before.
    pub entity_lifecycle_context: String,
    /// Whether it is one of many rather than a single case.
    pub is_anomaly_pattern: bool,
    /// How often signals of the class came, and for which entities.
    pub pattern_description: String,
    /// From 0 to 1.
    pub confidence: f64,
}

/// An analysis with the actions that would resolve the signal; they have no ids yet.
#[derive(Clone, Debug, PartialEq)]
pub struct Proposal {
    /// What was found out.
    pub analysis: Analysis,
    /// What to do, in this order; their ids are still empty.
    pub actions: Vec<ProposedAction>,
}

/// An action that the agent proposes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ProposedAction {
    /// Unique within the session; every proposal gives out new ones.
    pub id: String,
    /// What kind of action.
    pub action_type: ActionType,
    /// What it does; for an automated action that cannot run by itself also why.
    pub description: String,
    /// Whether the agent can execute it; otherwise a person has to.
    pub is_automated: bool,
    /// The system it acts on.
    pub target_system: String,
    /// The records of that system it acts on.
    pub target_entities: Vec<String>,
    /// What is so once it succeeded.
    pub expected_outcome: String,
    /// What may go wrong.
    pub risk: Risk,
    /// What is done, in this order.
    pub steps: Vec<ActionStep>,
    /// Minutes that a person would have needed.
    pub minutes_saved: i64,
}

/// A kind of action: the catalogue that playbooks choose from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ActionType {
    /// Have a usage batch processed again.
    ReprocessUsageBatch,
    /// Have usage events sent again.
    ResendUsageEvents,
    /// Have an invoice charged again.
    RetryInvoice,
    /// Have an invoice computed again.
    RefreshInvoice,
    /// Have a payment made again.
    RetryPayment,
    /// Void an invoice.
    VoidInvoice,
    /// Issue a credit note.
    IssueCreditNote,
    /// Bring a customer in line between systems.
    SyncCustomer,
    /// Send a customer a message.
    NotifyCustomer,
    /// Have a person look at it.
    ManualReview,
}

/// What may go wrong with an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Risk {
    /// Nothing that matters.
    Low,
    /// Something that is easily put right.
    Medium,
    /// Something that a customer notices.
    High,
    /// Something that cannot be undone.
    Critical,
}

/// A step of an action.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ActionStep {
    /// From 1.
    pub order: i64,
    /// What it does.
    pub description: String,
    /// The call it makes; none where a person does it.
    pub call: Option<ApiCall>,
}

/// A call of a target system, ready to be sent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ApiCall {
    /// `GET`, `POST`, `PUT`, `PATCH` or `DELETE`.
    pub method: String,
    /// Below the system's base URL, percent-encoded.
    pub path: String,
    /// The JSON body.
    pub body: Option<JsonText>,
    /// Statuses that mean success.
    pub expect: Vec<u16>,
    /// Answers that mean that it was done before.
    #[serde(default)]
    pub already_done: Vec<AlreadyDone>,
}

impl ApiCall {
    /// As the API shows it: `POST /usage-batches/ub_1001/reprocess`.
    #[must_use]
    pub fn summary(&self) -> String {
        format!("{} {}", self.method, self.path)
    }
}

/// An answer that means that the effect had taken place before.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AlreadyDone {
    /// The status.
    pub status: u16,
    /// The body's `code`; any when absent.
    pub code: Option<String>,
}

/// An approved action, as the worker runs it.
///
/// `token` is a fencing token: every claim raises it, and every write of the one who claimed
/// expects it, so that a worker that was thought dead cannot write over its successor.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AgentAction {
    /// The owning organization.
    pub organization_id: OrganizationId,
    /// The session that it was approved in.
    pub session_id: AgentSessionId,
    /// The proposed action's id.
    pub action_id: String,
    /// What kind of action.
    pub action_type: ActionType,
    /// The system it acts on.
    pub target_system: String,
    /// What is done, rendered.
    pub steps: Vec<ActionStep>,
    /// The trace of the request that approved it, by which the logs have it.
    #[serde(default)]
    pub trace_id: Option<String>,
    /// Minutes that a person would have needed.
    pub minutes_saved: i64,
    /// Where it stands.
    pub state: ActionState,
    /// Raised by every claim.
    #[serde(default)]
    pub token: i64,
    /// Claims since it was approved.
    #[serde(default)]
    pub attempts: i64,
    /// Until when the one who claimed it may work on it.
    pub lease_until: Option<Timestamp>,
    /// How many steps are done; an action that is run again goes on after them.
    #[serde(default)]
    pub steps_done: i64,
    /// A call may be under way to a system that would do it again if it were repeated.
    #[serde(default)]
    pub sending: bool,
    /// A call was sent whose answer does not tell whether it took effect.
    #[serde(default)]
    pub ambiguous: bool,
    /// Messages that the sweeper sent for it since it was last claimed.
    #[serde(default)]
    pub resends: i64,
    /// When the sweeper has to look at it.
    pub due_at: Option<Timestamp>,
    /// The last answer of the target system, once it ended.
    pub response: Option<JsonText>,
    /// Why it did not succeed.
    pub error: Option<String>,
    /// When it was claimed first since it was approved.
    pub started_at: Option<Timestamp>,
    /// When it ended.
    pub executed_at: Option<Timestamp>,
    /// When it was approved first.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}

/// Where an approved action stands; the last four are outcomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ActionState {
    /// To be run.
    Queued,
    /// Claimed by a worker.
    Running,
    /// Done.
    Succeeded,
    /// Not done, for certain: it may be run again.
    Failed,
    /// Sent, and no answer tells whether it took effect.
    Unknown,
    /// Cancelled before it started.
    Skipped,
}

impl ActionState {
    /// Whether it is an outcome.
    #[must_use]
    pub const fn has_ended(self) -> bool {
        !matches!(self, Self::Queued | Self::Running)
    }

    /// The name as it is stored.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Running => "running",
            Self::Succeeded => "succeeded",
            Self::Failed => "failed",
            Self::Unknown => "unknown",
            Self::Skipped => "skipped",
        }
    }
}

impl AgentAction {
    /// How long a message may be under way before the sweeper sends another, in milliseconds.
    pub const DELIVERY: i64 = 30 * span::SECOND;
    /// How long after a lease the sweeper looks whether its holder died, in milliseconds.
    pub const LEASE_MARGIN: i64 = 5 * span::SECOND;
    /// Claims until the worker gives up.
    pub const MOST_ATTEMPTS: i64 = 5;
    /// Messages of the sweeper that nobody followed until it gives up. With the growing pauses
    /// between them this takes half a day.
    pub const MOST_RESENDS: i64 = 16;

    /// An approved action that nobody has claimed.
    #[must_use]
    pub fn approve(
        session: &AgentSession,
        action: &ProposedAction,
        trace_id: Option<String>,
        now: Timestamp,
    ) -> Self {
        Self {
            organization_id: session.organization_id,
            session_id: session.id,
            action_id: action.id.clone(),
            action_type: action.action_type,
            target_system: action.target_system.clone(),
            steps: action.steps.clone(),
            trace_id,
            minutes_saved: action.minutes_saved,
            state: ActionState::Queued,
            token: 0,
            attempts: 0,
            lease_until: None,
            steps_done: 0,
            sending: false,
            ambiguous: false,
            resends: 0,
            due_at: Some(now.plus(Self::DELIVERY)),
            response: None,
            error: None,
            started_at: None,
            executed_at: None,
            created_at: now,
            updated_at: now,
        }
    }

    /// Queues a failed action again. Steps that are done stay done, and the fencing token goes on
    /// rising.
    pub fn approve_again(&mut self, now: Timestamp) {
        self.state = ActionState::Queued;
        self.attempts = 0;
        self.resends = 0;
        self.lease_until = None;
        self.sending = false;
        self.ambiguous = false;
        self.response = None;
        self.error = None;
        self.started_at = None;
        self.executed_at = None;
        self.due_at = Some(now.plus(Self::DELIVERY));
        self.updated_at = now;
    }

    /// Ends it without an answer of the target system.
    pub fn end(&mut self, outcome: ActionState, error: impl Into<String>, now: Timestamp) {
        self.state = outcome;
        self.error = Some(error.into());
        self.lease_until = None;
        self.sending = false;
        self.due_at = None;
        self.executed_at = Some(now);
        self.updated_at = now;
    }

    /// Whether a worker holds it at `now`.
    #[must_use]
    pub fn is_held(&self, now: Timestamp) -> bool {
        self.state == ActionState::Running && self.lease_until.is_some_and(|until| now < until)
    }

    /// Whether an effect may have taken place that nobody has confirmed: the one who claimed it is
    /// gone, or an answer did not tell.
    #[must_use]
    pub fn may_have_been_sent(&self) -> bool {
        self.ambiguous || self.sending || self.state == ActionState::Running
    }

    /// How it ends when it is given up: unknown if a call may have taken effect.
    #[must_use]
    pub fn given_up(&self) -> ActionState {
        if self.may_have_been_sent() {
            ActionState::Unknown
        } else {
            ActionState::Failed
        }
    }

    /// How it ends when its session is cancelled before it is claimed (again): skipped, unless an
    /// earlier claim got somewhere.
    #[must_use]
    pub fn cancelled(&self) -> (ActionState, &'static str) {
        if self.may_have_been_sent() {
            let why = "Cancelled while it was not known whether it took effect; check the target \
                       system.";
            (ActionState::Unknown, why)
        } else if self.steps_done > 0 {
            let why = "Cancelled after some of its steps were done.";
            (ActionState::Failed, why)
        } else {
            (ActionState::Skipped, "Cancelled before it started.")
        }
    }

    /// How long the sweeper waits after sending another message: 30 seconds, doubled each time up
    /// to an hour.
    #[must_use]
    pub fn next_resend(&self, now: Timestamp) -> Timestamp {
        let doubled = self.resends.clamp(0, 7);
        now.plus((Self::DELIVERY << doubled).min(span::HOUR))
    }

    /// What became of it; none while it has not ended.
    #[must_use]
    pub fn result(&self) -> Option<ActionResult> {
        if !self.state.has_ended() {
            return None;
        }
        let executed_at = self.executed_at.unwrap_or(self.updated_at);
        let started_at = self.started_at.unwrap_or(executed_at);
        Some(ActionResult {
            action_id: self.action_id.clone(),
            success: self.state == ActionState::Succeeded,
            response: self.response.clone(),
            error: self.error.clone(),
            executed_at,
            duration: executed_at.since(started_at).max(0),
        })
    }
}

/// What became of an approved action.
#[derive(Clone, Debug, PartialEq)]
pub struct ActionResult {
    /// Which one.
    pub action_id: String,
    /// Whether it is done for certain.
    pub success: bool,
    /// The last answer of the target system: `{status, body}`.
    pub response: Option<JsonText>,
    /// Why it did not succeed.
    pub error: Option<String>,
    /// When it ended.
    pub executed_at: Timestamp,
    /// Milliseconds from the first claim to the end.
    pub duration: i64,
}

/// An answer of a target system as results keep it.
#[must_use]
pub fn answer(status: u16, body: serde_json::Value) -> JsonText {
    let members = [
        ("status".to_owned(), status.into()),
        ("body".to_owned(), body),
    ];
    JsonText(members.into_iter().collect())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::Id;

    fn session(status: AgentSessionStatus, due_at: Option<i64>) -> AgentSession {
        let now = Timestamp::from_millis(0);
        AgentSession {
            id: Id::new(7).unwrap(),
            organization_id: Id::new(1).unwrap(),
            alert_id: Id::new(1).unwrap(),
            signal_type: "x".into(),
            occurred_at: now,
            status,
            error: None,
            analysis: None,
            proposal: 3,
            proposed_actions: Vec::new(),
            approved: Vec::new(),
            created_by: Id::new(1).unwrap(),
            due_at: due_at.map(Timestamp::from_millis),
            created_at: now,
            updated_at: now,
        }
    }

    #[test]
    fn ids_of_earlier_proposals_are_void_and_others_unknown() {
        let session = session(AgentSessionStatus::AwaitingConfirmation, None);
        assert!(session.is_void(&session.action_id(1, 1)));
        assert!(session.is_void(&session.action_id(2, 9)));
        for id in [
            "s7-p3-a1", "s7-p0-a1", "s7-p4-a1", "s8-p1-a1", "s7-p1-a0", "s7-p1-ax", "s7-p1", "",
        ] {
            assert!(!session.is_void(id), "{id}");
        }
    }

    #[test]
    fn a_proposal_expires_at_its_due_instant_and_not_before() {
        let session = session(AgentSessionStatus::AwaitingConfirmation, Some(1_000));
        let at = |millis| session.status_at(Timestamp::from_millis(millis));
        assert_eq!(at(999), AgentSessionStatus::AwaitingConfirmation);
        assert_eq!(at(1_000), AgentSessionStatus::Expired);
    }

    #[test]
    fn an_analysis_that_took_too_long_reads_as_failed() {
        let session = session(AgentSessionStatus::Analyzing, Some(1_000));
        let now = Timestamp::from_millis(1_000);
        assert_eq!(session.status_at(now), AgentSessionStatus::Failed);
        assert_eq!(session.error_at(now), Some(AgentSession::INTERRUPTED));
    }

    #[test]
    fn names_are_what_serde_writes() {
        for status in [
            AgentSessionStatus::Started,
            AgentSessionStatus::Analyzing,
            AgentSessionStatus::AwaitingConfirmation,
            AgentSessionStatus::Executing,
            AgentSessionStatus::Cancelling,
            AgentSessionStatus::Completed,
            AgentSessionStatus::Failed,
            AgentSessionStatus::Cancelled,
            AgentSessionStatus::Expired,
        ] {
            assert_eq!(json!(status), json!(status.name()));
        }
        for state in [
            ActionState::Queued,
            ActionState::Running,
            ActionState::Succeeded,
            ActionState::Failed,
            ActionState::Unknown,
            ActionState::Skipped,
        ] {
            assert_eq!(json!(state), json!(state.name()));
        }
    }
}
