//! An approved action: what it holds, and what became of it.

use serde::{Deserialize, Serialize};

use super::{
    ActionStep, ActionType, AgentSession, ConnectionRevision, FactCondition, JournalHead, Looked,
    Looks, PlaybookVersion, ProposedAction, ReconciliationStatus, Risk, StepAnswer, StepResult,
    TargetEffect, TargetRead, Verdict, Verification, VerificationStatus,
};
use crate::{
    AgentSessionId, JsonText, Money, OrganizationId, Role, SignalId, Timestamp, UserId, span,
};

/// An approved action, as the worker runs it.
///
/// `token` is a fencing token: every claim raises it, and every write of the one who claimed
/// expects it, so that a worker that was thought dead cannot write over its successor.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a fact of its own that is written and expected alone"
)]
pub struct AgentAction {
    /// The owning organization.
    pub organization_id: OrganizationId,
    /// The session that it was approved in.
    pub session_id: AgentSessionId,
    /// The signal of the session.
    #[serde(default)]
    pub alert_id: Option<SignalId>,
    /// The proposed action's id.
    pub action_id: String,
    /// The playbook that it comes from.
    #[serde(default)]
    pub playbook: Option<PlaybookVersion>,
    /// The connection to its target system, as it was when it was proposed.
    #[serde(default)]
    pub connection: Option<ConnectionRevision>,
    /// What may go wrong.
    #[serde(default)]
    pub risk: Option<Risk>,
    /// The money that it moves, as far as that is known.
    #[serde(default)]
    pub money: Option<Money>,
    /// What kind of action.
    pub action_type: ActionType,
    /// The system it acts on.
    pub target_system: String,
    /// The records of that system it acts on; no two actions do the same to one of them at once.
    #[serde(default)]
    pub entities: Vec<String>,
    /// Effects that must not be there if it is to be done: those of actions that it excludes.
    #[serde(default)]
    pub rivals: Vec<TargetEffect>,
    /// Ids of actions of its session that are approved too and come first.
    #[serde(default)]
    pub after: Vec<String>,
    /// How long after its end nobody does the same again, in milliseconds.
    #[serde(default = "ProposedAction::usual_cooldown")]
    pub cooldown: i64,
    /// What is read of the target system to judge the conditions that follow, and those of the steps.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reads: Vec<TargetRead>,
    /// What must be so when it is done.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub require: Vec<FactCondition>,
    /// What is done, rendered.
    pub steps: Vec<ActionStep>,
    /// What is so once it had its effect.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verify: Option<Verification>,
    /// Who approved it and when, the last one last.
    #[serde(default)]
    pub approvals: Vec<ActionApproval>,
    /// The stack whose name its idempotency keys carry: that which claimed it first.
    #[serde(default)]
    pub stack: Option<String>,
    /// The revision of its connection through which it was last to be sent.
    #[serde(default)]
    pub connection_revision: Option<i64>,
    /// Raised when it is approved again: a call that failed for certain is another one then.
    #[serde(default)]
    pub round: i64,
    /// The trace of the request that approved it last, by which the worker's log has it, whoever
    /// sent the message.
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
    /// How many of these had been done before, whoever had done them.
    #[serde(default)]
    pub already_done: i64,
    /// A call may be under way that was sent without a key: repeated, it would be done again.
    #[serde(default)]
    pub sending: bool,
    /// A call was sent whose answer does not tell whether it took effect.
    #[serde(default)]
    pub ambiguous: bool,
    /// It was claimed, and what it requires is looked at first: nothing that changes anything was sent
    /// since.
    #[serde(default)]
    pub looking: bool,
    /// Its session was cancelled while it was claimed: nothing more is sent.
    #[serde(default)]
    pub stopping: bool,
    /// The minutes that it saved are not in the organization's total yet.
    #[serde(default)]
    pub uncounted: bool,
    /// It was given back, and is not claimed again before this instant.
    #[serde(default)]
    pub not_before: Option<Timestamp>,
    /// The last claim came upon a pause; the sweeper has sent no message since.
    #[serde(default)]
    pub put_off: bool,
    /// Messages that the sweeper sent for it since it was last claimed.
    #[serde(default)]
    pub resends: i64,
    /// When the sweeper has to look at it.
    pub due_at: Option<Timestamp>,
    /// What became of the steps that were sent.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub step_results: Vec<StepResult>,
    /// Whether it had its effect, once it succeeded and where that is looked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verification: Option<Looks<VerificationStatus>>,
    /// What became of its call, once it ended as unknown and where that is looked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reconciliation: Option<Looks<ReconciliationStatus>>,
    /// The last answer of the target system, once it ended.
    pub response: Option<JsonText>,
    /// Why it did not succeed.
    pub error: Option<String>,
    /// What somebody found out about it when its outcome was unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<Verdict>,
    /// The newest entry of its part of the session's journal.
    #[serde(default)]
    pub journal: JournalHead,
    /// Answers that its holder has not written yet.
    #[serde(skip)]
    pub answers: Vec<StepAnswer>,
    /// The look of its holder that is not written yet.
    #[serde(skip)]
    pub looked: Option<Looked>,
    /// When it was claimed first since it was approved.
    pub started_at: Option<Timestamp>,
    /// When it ended.
    pub executed_at: Option<Timestamp>,
    /// When it was approved first.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}

/// That somebody approved an action.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ActionApproval {
    /// Who.
    pub user_id: UserId,
    /// The role that they had.
    #[serde(default)]
    pub role: Option<Role>,
    /// When.
    pub at: Timestamp,
    /// The digest of what they approved.
    #[serde(default)]
    pub digest: Option<String>,
    /// What they had to say.
    #[serde(default)]
    pub note: Option<String>,
    /// The [round](AgentAction::round) that they approved; 0 while it has not begun.
    #[serde(default)]
    pub round: i64,
}

/// Where an approved action stands; the last four are outcomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, strum::IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum ActionState {
    /// To be run.
    Queued,
    /// Claimed by a worker.
    Running,
    /// Done.
    Succeeded,
    /// Not done, for certain: it may be run again.
    Failed,
    /// It may have taken effect, and nothing that is known tells.
    Unknown,
    /// Nothing was changed: it was cancelled before it started, or something stood in the way, what it
    /// requires among that.
    Skipped,
}

impl ActionState {
    /// Whether it is an outcome.
    #[must_use]
    pub const fn has_ended(self) -> bool {
        !matches!(self, Self::Queued | Self::Running)
    }

    /// Whether it may be run again.
    #[must_use]
    pub const fn is_not_done(self) -> bool {
        matches!(self, Self::Failed | Self::Skipped)
    }

    /// The name as it is stored.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.into()
    }
}

impl AgentAction {
    /// How long a message may be under way before the sweeper sends another, in milliseconds: longer
    /// than the queue hides one that was received, so that only what is lost is sent again.
    pub const DELIVERY: i64 = 2 * span::MINUTE;
    /// How long after a lease the sweeper looks at the earliest whether its holder died, in
    /// milliseconds.
    pub const LEASE_MARGIN: i64 = 5 * span::SECOND;
    /// How long after an approval the action is given up, in milliseconds. Target systems keep
    /// idempotency keys for at least as long.
    pub const PATIENCE: i64 = 24 * span::HOUR;
    /// The first pause of an action that is given back, in milliseconds; each is twice as long as
    /// the one before.
    pub const FIRST_PAUSE: i64 = span::MINUTE;
    /// The longest of these pauses, unless the target system asks for a longer one.
    pub const LONGEST_PAUSE: i64 = 30 * span::MINUTE;

    /// An approved action that nobody has claimed; the session's list of what is approved has it.
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
            cooldown: action.cooldown,
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

    /// Queues an action again that is not done, behind those in `after`. Steps that are done stay
    /// done, and the fencing token goes on rising; its calls are others than before, since some
    /// systems answer an old key with the old failure.
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

    /// From when on it is given up.
    #[must_use]
    pub fn deadline(&self) -> Timestamp {
        let approved = self.approvals.last().map_or(self.created_at, |one| one.at);
        approved.plus(Self::PATIENCE)
    }

    /// Whether it made a difference: it succeeded, what it was to change had not been so before, and its
    /// effect was found where it is looked for.
    #[must_use]
    pub fn is_effective(&self) -> bool {
        let changes = self.steps.iter().filter(|step| step.changes()).count();
        let already_done = usize::try_from(self.already_done).unwrap_or_default();
        self.state == ActionState::Succeeded && already_done < changes && self.is_verified()
    }

    /// Whether it put its records right: a message puts nothing right.
    #[must_use]
    pub fn is_remedy(&self) -> bool {
        self.is_effective() && self.action_type.puts_right()
    }

    /// The minutes that it saved: none unless it was effective, nor where somebody had to look.
    #[must_use]
    pub fn saved(&self) -> i64 {
        if self.is_effective() && self.verdict.is_none() {
            self.minutes_saved
        } else {
            0
        }
    }

    /// The approvals of its round; those that were given before rounds were counted are of any.
    #[must_use]
    pub fn current_approvals(&self) -> Vec<ActionApproval> {
        let approvals = self.approvals.iter();
        let current = approvals.filter(|one| one.round == self.round || one.round == 0);
        current.cloned().collect()
    }

    /// The idempotency key of a step, which counts from 0: the same for every attempt at it, and
    /// that of no other step, of this stack or another.
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
    /// What became of each of its steps.
    pub steps: Vec<StepResult>,
    /// Whether it had its effect, where that is looked for.
    pub verification: Option<Looks<VerificationStatus>>,
    /// What became of its call that was unknown, where that is looked for.
    pub reconciliation: Option<Looks<ReconciliationStatus>>,
    /// What somebody found out about it when its outcome was unknown.
    pub verdict: Option<Verdict>,
    /// When it ended.
    pub executed_at: Timestamp,
    /// Milliseconds from the first claim to the end.
    pub duration: i64,
}
