use model::{
    base::{AlertId, OrganizationId, Timestamp, UserId, span},
    names,
    people::{JournalHead, digest, journal::canonical},
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::ToSchema;

use crate::{
    action::{
        ActionApproval, ActionContent, ActionKey, ActionState, CallResult, PolicyRule, StepResult,
        StepStatus,
    },
    check::{CheckResult, Checks},
    connection::Restored,
};

/// An approved action, as the worker runs it.
///
/// Each group of fields has one writer, and every update writes whole groups.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AgentAction {
    #[serde(flatten)]
    pub key: ActionKey,
    pub alert_id: AlertId,
    pub content: ActionContent,
    pub round: ActionRound,
    pub state: ActionState,
    #[serde(flatten)]
    pub fence: Fence,
    pub progress: ActionProgress,
    /// The times at which workers and the sweeper visit it.
    pub schedule: Schedule,
    pub checks: Checks,
    pub end: ActionEnd,
    /// The newest entry of its chain in the session's journal.
    pub journal: JournalHead,
    pub updated_at: Timestamp,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fence {
    /// A fencing token. Every claim raises it, and every write of the holder expects it. A worker
    /// that was thought dead cannot overwrite its successor.
    pub token: i64,
    /// Its session was cancelled while it was claimed. Nothing more is sent.
    pub stopping: bool,
}

/// The round in which an action runs: 1 at first, raised when it is approved again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ActionRound {
    /// Its number. The idempotency keys name it, so a call that certainly failed becomes a new
    /// call.
    pub number: i64,
    /// The approvals of all rounds, the newest last.
    pub approvals: Vec<ActionApproval>,
    /// The rules of the policy at the proposal that apply to it.
    pub rules: Vec<PolicyRule>,
    /// Ids of the session's approved actions that must succeed first.
    pub after: Vec<String>,
    /// Ids of the session's approved actions that end first, and without success.
    pub unless: Vec<String>,
    /// The trace of the request that approved it last. The worker logs this trace.
    pub trace_id: Option<String>,
    pub approved_at: Timestamp,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ActionProgress {
    /// The stack that claimed it first. Its idempotency keys carry this name.
    pub stack: Option<String>,
    pub connection_revision: Option<i64>,
    /// Claims since it was approved.
    pub attempts: i64,
    /// The first claim since it was approved.
    pub started_at: Option<Timestamp>,
    /// Number of steps that are done. An action that runs again continues after them.
    pub steps_done: i64,
    /// Number of those steps that the target system reported as already done.
    pub already_done: i64,
    pub call: OpenCall,
    pub results: Vec<StepResult>,
    /// The restore of the table since the session was opened, at the last claim.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub restored: Option<Restored>,
    /// The last instant at which a check or a user found an unclear call without effect.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub settled_at: Option<Timestamp>,
    /// The mark of a step's record from before its call, if its reconciliation names one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mark: Option<Mark>,
    /// The rounds in which a call asked something of the target system, the newest last.
    #[serde(default)]
    pub tries: Vec<Try>,
    /// Results of calls by their step, not written yet.
    #[serde(skip)]
    pub unwritten: Vec<(i64, CallResult)>,
    /// The precondition check that is not written yet.
    #[serde(skip)]
    pub checked: Option<CheckResult>,
}

/// A fact that changes with each try of a step's call, as it was read before the call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Mark {
    /// The step, from 1.
    pub step: i64,
    /// Null if the answer lacked it.
    pub value: Value,
}

/// A try: a round in which a call asked something of the target system.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Try {
    pub round: i64,
    /// The instant at which its first call was announced.
    pub at: Timestamp,
}

/// The call that is under way or was sent last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OpenCall {
    /// True while it may be under way without an idempotency key. Repeating it would repeat the
    /// effect.
    pub sending: bool,
    /// True if it was sent and its answer did not tell whether it took effect.
    pub ambiguous: bool,
    /// The instant at which it was first about to be sent. The system keeps its key from then on.
    pub since: Option<Timestamp>,
    /// The precondition check is still to do, and nothing was sent since the claim.
    #[serde(rename = "looking")]
    pub unchecked: bool,
    /// The system's last word on whether the call is under way. None if it never said that it is.
    #[serde(default)]
    pub under_way: Option<bool>,
    /// The first of the checks in a row that found no effect of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub absent_since: Option<Timestamp>,
}

/// The times at which workers and the sweeper visit an action.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Schedule {
    pub lease_until: Option<Timestamp>,
    /// Retry at: it was released and is not claimed before this instant.
    pub not_before: Option<Timestamp>,
    /// The sweeper's next visit.
    pub due_at: Option<Timestamp>,
    /// The last claim was deferred, and the sweeper has sent no message since.
    #[serde(rename = "putOff")]
    pub deferred: bool,
    /// Its slot in a connection's queue that limits calls, since the last claim.
    #[serde(rename = "turn")]
    pub slot: Option<Timestamp>,
    /// Messages that the sweeper sent since the last claim.
    pub resends: i64,
    /// Its saved minutes are not in the organization's total yet.
    pub uncounted: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ActionEnd {
    pub at: Option<Timestamp>,
    /// The hash of the last answer's [excerpt](crate::connection::Excerpt).
    pub excerpt_hash: Option<String>,
    /// The reason if it did not succeed.
    pub error: Option<String>,
    /// The verdict of a user, if its outcome was unknown.
    pub verdict: Option<Verdict>,
    /// The instant from which the tries of other actions allow another one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub barred_until: Option<Timestamp>,
}

impl Schedule {
    pub(crate) fn after_approval(now: Timestamp) -> Self {
        Self {
            due_at: Some(now.plus(AgentAction::DELIVERY)),
            ..Self::default()
        }
    }

    /// Returns the milliseconds until the next message, after so many that came to nothing.
    pub(crate) fn pause_after(messages: i64) -> i64 {
        (AgentAction::DELIVERY << messages.clamp(0, 5)).min(AgentAction::RESENT_WITHIN)
    }
}

impl ActionRound {
    /// Returns the instant at which it is given up.
    pub fn deadline(&self) -> Timestamp {
        self.approved_at
            .plus(AgentAction::PATIENCE)
    }

    pub fn current_approvals(&self) -> Vec<ActionApproval> {
        let approvals = self.approvals.iter();
        let current = approvals.filter(|approval| approval.round == self.number);
        current.cloned().collect()
    }
}

impl ActionProgress {
    /// Returns the next step, from 0.
    pub(crate) fn next_step(&self) -> usize {
        usize::try_from(self.steps_done).unwrap_or(0)
    }

    pub(crate) fn known_result(&self, step: i64) -> Option<&StepResult> {
        self.results
            .iter()
            .find(|result| result.step == step)
    }

    /// Returns the beginning of a time that the table lost. The next call may have been sent since.
    pub(crate) fn lost_since(&self) -> Option<Timestamp> {
        let restored = self.restored?;
        let settled = self.settled_at;
        let is_settled = settled.is_some_and(|settled| restored.at <= settled);
        (!is_settled).then_some(restored.to)
    }

    /// True if the next call may have been sent before this claim.
    pub(crate) fn is_in_doubt(&self) -> bool {
        self.call.ambiguous || self.lost_since().is_some()
    }

    /// True if the next call may have been sent, before this claim or by it.
    pub(crate) fn may_be_sent(&self) -> bool {
        self.call.is_open() || self.lost_since().is_some()
    }

    /// True if the system still keeps the key of the open call, for as long as it keeps keys.
    pub fn keeps_key(&self, kept_for: i64, now: Timestamp) -> bool {
        let since = self.lost_since().or(self.call.since);
        since.is_none_or(|since| now < since.plus(kept_for))
    }
}

impl OpenCall {
    /// True if its effect is not known.
    pub(crate) const fn is_open(&self) -> bool {
        self.ambiguous || self.sending
    }
}

impl ActionEnd {
    /// True if it ended since its record or its connection is not as it was proposed.
    pub fn is_outdated(&self) -> bool {
        let error = self
            .error
            .as_deref()
            .unwrap_or_default();
        let reasons = [
            "precondition_changed: ",
            "content_changed: ",
            "no_connection: ",
            "account_changed: ",
        ];
        let mut reasons = reasons.iter();
        reasons.any(|reason| error.starts_with(reason))
    }
}

impl AgentAction {
    /// Milliseconds that a message may be under way before the sweeper sends another. The queue
    /// hides a received message for less time, so only lost messages are sent again.
    pub const DELIVERY: i64 = 2 * span::MINUTE;
    /// The longest time between two messages for an action, in milliseconds.
    pub const RESENT_WITHIN: i64 = span::HOUR;
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

    /// Returns the digest of its content. Equals that of the proposed action unless one of them was
    /// changed.
    pub fn digest(&self) -> String {
        let key = &self.key;
        digest_of(
            &self.content,
            key.organization_id,
            self.alert_id,
            &key.action_id,
        )
    }

    pub fn results_of_steps(&self) -> Vec<StepResult> {
        let next = self.progress.next_step();
        let each = self
            .content
            .steps
            .iter()
            .enumerate()
            .map(|(at, step)| {
                let done = (at < next).then_some(StepStatus::Done);
                let unsent = || StepResult {
                    step: step.order,
                    status: done.unwrap_or(StepStatus::NotSent),
                    at: None,
                    excerpt_hash: None,
                };
                let recorded = self
                    .progress
                    .known_result(step.order)
                    .cloned();
                let mut result = recorded.unwrap_or_else(unsent);
                // The holder of an unclear step may have died before it could record an answer.
                if at == next && self.state == ActionState::Unknown {
                    result.status = StepStatus::Unclear;
                }
                result
            });
        each.collect()
    }

    /// True if it made a difference: it succeeded, changed something that had not been done before,
    /// and passed its verification, if it has one.
    pub fn is_effective(&self) -> bool {
        let changes = self
            .content
            .steps
            .iter()
            .filter(|step| step.changes());
        let already_done = usize::try_from(self.progress.already_done).unwrap_or_default();
        self.state == ActionState::Succeeded && already_done < changes.count() && self.is_verified()
    }

    /// True if it fixed its records. A message fixes nothing.
    pub fn fixes_records(&self) -> bool {
        self.is_effective() && self.content.action_type.is_fix()
    }

    /// Returns the minutes that it saved. 0 unless it was effective, and 0 with a verdict, since a
    /// user had to check.
    pub fn saved(&self) -> i64 {
        if !self.is_effective() || self.end.verdict.is_some() {
            return 0;
        }
        self.content.minutes_saved
    }

    /// Returns the idempotency key of a step, counted from 0. Every attempt at a step has the same
    /// key; no other step has it, in this stack or another.
    pub fn idempotency_key(&self, step: usize) -> String {
        format!(
            "wd-{}-{}-{}-{}-{}-{}",
            self.progress
                .stack
                .as_deref()
                .unwrap_or_default(),
            self.key.organization_id,
            self.key.session_id,
            self.key.action_id,
            step + 1,
            self.round.number,
        )
    }

    pub fn result(&self) -> Option<ActionResult> {
        let executed_at = self.ended_at();
        let started_at = self
            .progress
            .started_at
            .unwrap_or(executed_at);
        self.state
            .has_ended()
            .then(|| ActionResult {
                action_id: self.key.action_id.clone(),
                success: self.state == ActionState::Succeeded,
                excerpt_hash: self.end.excerpt_hash.clone(),
                error: self.end.error.clone(),
                steps: self.results_of_steps(),
                checks: self.checks.clone(),
                verdict: self.end.verdict.clone(),
                executed_at,
                duration: executed_at.since(started_at).max(0),
            })
    }
}

/// Returns the SHA-256 of the canonical JSON of the content and of the names of the organization,
/// the alert and the action, in hexadecimal. The action's id also names session and proposal. An
/// approval covers exactly this content.
pub(crate) fn digest_of(
    content: &ActionContent,
    organization: OrganizationId,
    alert: AlertId,
    action: &str,
) -> String {
    digest(&canonical(&json!({
        "organization": organization, "alert": alert, "action": action, "content": content,
    })))
}

#[derive(Clone, Debug, PartialEq)]
pub struct ActionResult {
    pub action_id: String,
    /// True if it is certainly done.
    pub success: bool,
    /// The hash of the last answer's [excerpt](crate::connection::Excerpt).
    pub excerpt_hash: Option<String>,
    /// The reason if it did not succeed.
    pub error: Option<String>,
    pub steps: Vec<StepResult>,
    pub checks: Checks,
    /// The verdict of a user, if its outcome was unknown.
    pub verdict: Option<Verdict>,
    /// The end of the action.
    pub executed_at: Timestamp,
    /// Milliseconds from the first claim to the end.
    pub duration: i64,
}

impl ActionResult {
    /// True if it was skipped since the action that it replaces succeeded, or since its alert was
    /// resolved.
    pub fn is_needless(&self) -> bool {
        let error = self
            .error
            .as_deref()
            .unwrap_or_default();
        let mut reasons = ["not_needed: ", "alert_resolved: "].iter();
        !self.success && reasons.any(|reason| error.starts_with(reason))
    }
}

/// A user's settlement of an action whose outcome was unknown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Verdict {
    pub outcome: VerdictOutcome,
    pub by: UserId,
    pub at: Timestamp,
    /// Where and how the user saw it.
    pub note: String,
}

names! {
    /// The outcome that a user found in the target system.
    pub enum VerdictOutcome {
        /// The action took effect.
        Done,
        /// The action certainly took no effect.
        NotDone,
    }
}
