//! The record of an approved action, and its result.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{
    ActionApproval, ActionStep, ActionType, AgentSession, ConnectionRevision, FactCondition,
    JournalHead, Looked, Looks, PlaybookVersion, PolicySubject, ProposedAction,
    ReconciliationStatus, Risk, StepAnswer, StepResult, TargetEffect, TargetRead, Verification,
    VerificationStatus,
};
use crate::Money;
use model::{
    AgentSessionId, AlertId, JsonText, OrganizationId, Timestamp, UserId, input::OneOf, span,
};

/// An approved action, as the worker runs it.
///
/// `token` is a fencing token. Every claim raises it, and every write of the holder expects it. A
/// worker that was thought dead cannot overwrite its successor.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a fact of its own that is written and expected alone"
)]
pub struct AgentAction {
    /// The owning organization.
    pub organization_id: OrganizationId,
    /// The session in which it was approved.
    pub session_id: AgentSessionId,
    /// The alert of the session.
    #[serde(default)]
    pub alert_id: Option<AlertId>,
    /// The proposed action's id.
    pub action_id: String,
    /// The playbook that proposed it.
    #[serde(default)]
    pub playbook: Option<PlaybookVersion>,
    /// The connection to its target system, as of the proposal.
    #[serde(default)]
    pub connection: Option<ConnectionRevision>,
    /// The risk level.
    #[serde(default)]
    pub risk: Option<Risk>,
    /// The money that it moves, if known.
    #[serde(default)]
    pub money: Option<Money>,
    /// The kind of action.
    pub action_type: ActionType,
    /// The system it acts on.
    pub target_system: String,
    /// The records of that system it acts on. No two actions have the same effect on one record at
    /// once.
    #[serde(default)]
    pub entities: Vec<String>,
    /// Effects of the actions that it excludes. None of these may be held when it runs.
    #[serde(default)]
    pub rivals: Vec<TargetEffect>,
    /// Ids of the session's approved actions that come first.
    #[serde(default)]
    pub after: Vec<String>,
    /// Reads of the target system for the conditions below and those of the steps.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reads: Vec<TargetRead>,
    /// Conditions that must hold when it runs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub require: Vec<FactCondition>,
    /// The rendered steps.
    pub steps: Vec<ActionStep>,
    /// The condition that shows that it had its effect.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verify: Option<Verification>,
    /// Its approvals, the newest last.
    #[serde(default)]
    pub approvals: Vec<ActionApproval>,
    /// The stack that claimed it first. Its idempotency keys carry this name.
    #[serde(default)]
    pub stack: Option<String>,
    /// The revision of the connection at the last claim.
    #[serde(default)]
    pub connection_revision: Option<i64>,
    /// The round: 1 at first, raised when it is approved again. Its idempotency keys name the
    /// round, so a call that certainly failed becomes a new call.
    #[serde(default)]
    pub round: i64,
    /// The trace of the request that approved it last. The worker logs this trace.
    #[serde(default)]
    pub trace_id: Option<String>,
    /// Minutes a person would have needed.
    pub minutes_saved: i64,
    /// The state.
    pub state: ActionState,
    /// The fencing token. Every claim raises it.
    #[serde(default)]
    pub token: i64,
    /// Claims since it was approved.
    #[serde(default)]
    pub attempts: i64,
    /// End of the holder's lease.
    pub lease_until: Option<Timestamp>,
    /// Number of steps that are done. An action that runs again continues after them.
    #[serde(default)]
    pub steps_done: i64,
    /// Number of those steps that the target system reported as already done.
    #[serde(default)]
    pub already_done: i64,
    /// A call may be under way without an idempotency key. Repeating it would repeat the effect.
    #[serde(default)]
    pub sending: bool,
    /// A call was sent and its answer did not tell whether it took effect.
    #[serde(default)]
    pub ambiguous: bool,
    /// Claimed, with the precondition check still to do. No call that changes something was sent
    /// since.
    #[serde(default)]
    pub looking: bool,
    /// Its session was cancelled while it was claimed. Nothing more is sent.
    #[serde(default)]
    pub stopping: bool,
    /// Its saved minutes are not in the organization's total yet.
    #[serde(default)]
    pub uncounted: bool,
    /// Retry at: it was released and is not claimed before this instant.
    #[serde(default)]
    pub not_before: Option<Timestamp>,
    /// The last claim was deferred, and the sweeper has sent no message since.
    #[serde(default)]
    pub put_off: bool,
    /// Messages that the sweeper sent since the last claim.
    #[serde(default)]
    pub resends: i64,
    /// The sweeper's next visit.
    pub due_at: Option<Timestamp>,
    /// The results of the steps that were sent.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub step_results: Vec<StepResult>,
    /// Verification of the effect, if it succeeded and has a verification.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verification: Option<Looks<VerificationStatus>>,
    /// Reconciliation of an unclear call, if it ended as unknown and has a reconciliation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reconciliation: Option<Looks<ReconciliationStatus>>,
    /// The target system's last answer, once it ended.
    pub response: Option<JsonText>,
    /// The reason if it did not succeed.
    pub error: Option<String>,
    /// The verdict of a user, if its outcome was unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<Verdict>,
    /// The newest entry of its chain in the session's journal.
    #[serde(default)]
    pub journal: JournalHead,
    /// Answers that its holder has not written yet.
    #[serde(skip)]
    pub answers: Vec<StepAnswer>,
    /// The holder's precondition check that is not written yet.
    #[serde(skip)]
    pub looked: Option<Looked>,
    /// The first claim since it was approved.
    pub started_at: Option<Timestamp>,
    /// The end of the action.
    pub executed_at: Option<Timestamp>,
    /// The first approval.
    pub created_at: Timestamp,
    /// The last change.
    pub updated_at: Timestamp,
}

/// The state of an approved action. The last four are outcomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, strum::IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum ActionState {
    /// Waits for a worker.
    Queued,
    /// Claimed by a worker.
    Running,
    /// Done.
    Succeeded,
    /// Certainly not done; may run again.
    Failed,
    /// Possibly done: no answer and no check has told.
    Unknown,
    /// Nothing was changed: it was cancelled before it started, or it was blocked, for example by a
    /// precondition.
    Skipped,
}

impl ActionState {
    /// True for an outcome.
    #[must_use]
    pub const fn has_ended(self) -> bool {
        !matches!(self, Self::Queued | Self::Running)
    }

    /// True if it may run again.
    #[must_use]
    pub const fn is_not_done(self) -> bool {
        matches!(self, Self::Failed | Self::Skipped)
    }

    /// The stored name.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.into()
    }
}

impl AgentAction {
    /// Milliseconds that a message may be under way before the sweeper sends another. The queue
    /// hides a received message for less time, so only lost messages are sent again.
    pub const DELIVERY: i64 = 2 * span::MINUTE;
    /// Milliseconds after the end of a lease before the sweeper checks whether its holder died.
    pub const LEASE_MARGIN: i64 = 5 * span::SECOND;
    /// Milliseconds after an approval after which the action is given up. Target systems keep
    /// idempotency keys for at least as long.
    pub const PATIENCE: i64 = 24 * span::HOUR;
    /// Milliseconds after its end in which no action repeats its effect on the same records.
    pub const COOLDOWN: i64 = 24 * span::HOUR;
    /// The first retry pause of a released action, in milliseconds. Each pause is twice as long as
    /// the one before.
    pub const FIRST_PAUSE: i64 = span::MINUTE;
    /// The longest retry pause, in milliseconds, unless the target system asks for a longer one.
    pub const LONGEST_PAUSE: i64 = 30 * span::MINUTE;

    /// Creates a queued action. The session lists it as approved.
    #[must_use]
    pub fn approve(
        session: &AgentSession,
        action: &ProposedAction,
        approvals: Vec<ActionApproval>,
        trace: Option<&str>,
        now: Timestamp,
    ) -> Self {
        Self {
            organization_id: session.organization_id,
            session_id: session.id,
            alert_id: Some(session.alert_id),
            action_id: action.id.clone(),
            playbook: action.playbook.clone(),
            connection: action.connection.clone(),
            risk: Some(action.risk),
            money: action.money.clone(),
            action_type: action.action_type,
            target_system: action.target_system.clone(),
            entities: action.target_entities.clone(),
            rivals: session.rivals(action),
            after: session.approved_before(action),
            reads: action.reads.clone(),
            require: action.require.clone(),
            steps: action.steps.clone(),
            verify: action.verify.clone(),
            approvals: of_round(approvals, 1),
            stack: None,
            connection_revision: None,
            round: 1,
            trace_id: trace.map(str::to_owned),
            minutes_saved: action.minutes_saved,
            state: ActionState::Queued,
            token: 0,
            attempts: 0,
            lease_until: None,
            steps_done: 0,
            already_done: 0,
            sending: false,
            ambiguous: false,
            looking: false,
            stopping: false,
            uncounted: false,
            not_before: None,
            put_off: false,
            resends: 0,
            due_at: Some(now.plus(Self::DELIVERY)),
            step_results: Vec::new(),
            verification: None,
            reconciliation: None,
            response: None,
            error: None,
            verdict: None,
            journal: JournalHead::default(),
            answers: Vec::new(),
            looked: None,
            started_at: None,
            executed_at: None,
            created_at: now,
            updated_at: now,
        }
    }

    /// Queues an action that is not done again, after the actions in `after`. Finished steps stay
    /// done, and the fencing token keeps rising. Its calls get new idempotency keys, since some
    /// systems replay the old failure for an old key.
    pub fn approve_again(
        &mut self,
        approvals: Vec<ActionApproval>,
        after: Vec<String>,
        trace: Option<&str>,
        now: Timestamp,
    ) {
        self.after = after;
        self.round += 1;
        self.approvals.extend(of_round(approvals, self.round));
        self.connection_revision = None;
        self.trace_id = trace.map(str::to_owned);
        self.state = ActionState::Queued;
        self.attempts = 0;
        self.resends = 0;
        self.lease_until = None;
        self.sending = false;
        self.ambiguous = false;
        self.stopping = false;
        self.not_before = None;
        self.put_off = false;
        self.forget_steps();
        self.verification = None;
        self.reconciliation = None;
        self.response = None;
        self.error = None;
        self.verdict = None;
        self.started_at = None;
        self.executed_at = None;
        self.due_at = Some(now.plus(Self::DELIVERY));
        self.updated_at = now;
    }

    /// Returns the properties that a policy uses.
    #[must_use]
    pub fn subject(&self) -> PolicySubject<'_> {
        PolicySubject {
            action_type: self.action_type,
            risk: self.risk,
            money: self.money.as_ref(),
            connection: &self.target_system,
        }
    }

    /// Returns the instant at which it is given up.
    #[must_use]
    pub fn deadline(&self) -> Timestamp {
        let approved = self.approvals.last().map_or(self.created_at, |one| one.at);
        approved.plus(Self::PATIENCE)
    }

    /// True if it made a difference: it succeeded, changed something that had not been done before,
    /// and passed its verification, if it has one.
    #[must_use]
    pub fn is_effective(&self) -> bool {
        let changes = self.steps.iter().filter(|step| step.changes()).count();
        let already_done = usize::try_from(self.already_done).unwrap_or_default();
        self.state == ActionState::Succeeded && already_done < changes && self.is_verified()
    }

    /// True if it fixed its records. A message fixes nothing.
    #[must_use]
    pub fn is_remedy(&self) -> bool {
        self.is_effective() && self.action_type.puts_right()
    }

    /// Returns the minutes that it saved. 0 unless it was effective, and 0 with a verdict, since a
    /// user had to check.
    #[must_use]
    pub fn saved(&self) -> i64 {
        if self.is_effective() && self.verdict.is_none() {
            self.minutes_saved
        } else {
            0
        }
    }

    /// Returns the approvals of its round. Approvals from before rounds were counted belong to any
    /// round.
    #[must_use]
    pub fn current_approvals(&self) -> Vec<ActionApproval> {
        let approvals = self.approvals.iter();
        let current = approvals.filter(|one| one.round == self.round || one.round == 0);
        current.cloned().collect()
    }

    /// Returns the idempotency key of a step, counted from 0. Every attempt at a step has the same
    /// key; no other step has it, in this stack or another.
    #[must_use]
    pub fn idempotency_key(&self, step: usize) -> String {
        format!(
            "wd-{}-{}-{}-{}-{}-{}",
            self.stack.as_deref().unwrap_or_default(),
            self.organization_id,
            self.session_id,
            self.action_id,
            step + 1,
            self.round,
        )
    }

    /// Returns its result, or none until it has ended.
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
            steps: self.results_of_steps(),
            verification: self.verification.clone(),
            reconciliation: self.reconciliation.clone(),
            verdict: self.verdict.clone(),
            executed_at,
            duration: executed_at.since(started_at).max(0),
        })
    }
}

fn of_round(mut approvals: Vec<ActionApproval>, round: i64) -> Vec<ActionApproval> {
    for approval in &mut approvals {
        approval.round = round;
    }
    approvals
}

/// The result of an approved action.
#[derive(Clone, Debug, PartialEq)]
pub struct ActionResult {
    /// The action's id.
    pub action_id: String,
    /// True if it is certainly done.
    pub success: bool,
    /// The target system's last answer: `{status, body}`.
    pub response: Option<JsonText>,
    /// The reason if it did not succeed.
    pub error: Option<String>,
    /// The result of each of its steps.
    pub steps: Vec<StepResult>,
    /// Verification of its effect, if it has a verification.
    pub verification: Option<Looks<VerificationStatus>>,
    /// Reconciliation of its unclear call, if it has a reconciliation.
    pub reconciliation: Option<Looks<ReconciliationStatus>>,
    /// The verdict of a user, if its outcome was unknown.
    pub verdict: Option<Verdict>,
    /// The end of the action.
    pub executed_at: Timestamp,
    /// Milliseconds from the first claim to the end.
    pub duration: i64,
}

/// A user's settlement of an action whose outcome was unknown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Verdict {
    /// The outcome.
    pub outcome: VerdictOutcome,
    /// The user.
    pub by: UserId,
    /// The instant of the verdict.
    pub at: Timestamp,
    /// Where and how the user saw it.
    pub note: String,
}

/// The outcome that a user found in the target system.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, strum::IntoStaticStr, ToSchema,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum VerdictOutcome {
    /// The action took effect.
    Done,
    /// The action certainly took no effect.
    NotDone,
}

impl OneOf for VerdictOutcome {
    const NOUN: &'static str = "an outcome";
}
