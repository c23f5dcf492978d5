use std::collections::BTreeMap;

use serde_json::Value;
use shared::endpoint::*;

use super::{
    action::{self, ActionView},
    row,
};

/// An opened session.
#[derive(Debug, Serialize, ToSchema)]
pub struct AgentSessionOpened {
    pub(super) session: AgentSessionSummary,
}

view! {
    #[schema(examples(json!({
        "id": 3,
        "alertId": 3,
        "status": "started",
        "createdAt": "2026-01-14T12:00:30.000Z",
        "version": 1
    })))]
    pub struct AgentSessionSummary of session(session: &Stored<AgentSession>, now: Timestamp) {
        id: AgentSessionId,
        alert_id: AlertId = session.alert.alert_id,
        status: AgentSessionStatus = session.status_at(now),
        created_at: Timestamp = session.times.created_at,
        /// Version, raised by every write.
        version: i64,
    }
}

/// A session with its new proposal.
#[derive(Debug, Serialize, ToSchema)]
pub struct AgentSessionProposed {
    pub(super) session: ProposedSession,
}

view! {
    pub struct ProposedSession of session(session: &AgentSession, excerpts: &Excerpts) {
        id: AgentSessionId,
        status: AgentSessionStatus,
        alert_id: AlertId = session.alert.alert_id,
        analysis: Option<Analysis> = session.analysis.newest.clone(),
        /// Reads of target systems for the analysis.
        reads: Vec<ReadView> = reads(session, excerpts),
        proposed_actions: Vec<ActionView> = action::of_proposal(session),
    }
}

/// Results of approved actions, and their session.
#[derive(Debug, Serialize, ToSchema)]
pub struct AgentActionsExecuted {
    results: Vec<ResultView>,
    session: AgentSessionView,
    /// True if an action runs or is under way, or the policy requires further approvers.
    #[serde(skip)]
    is_pending: bool,
}

impl IntoResponse for AgentActionsExecuted {
    fn into_response(self) -> Response {
        let pending = self.is_pending.then_some(StatusCode::ACCEPTED);
        (pending.unwrap_or(StatusCode::OK), Json(self)).into_response()
    }
}

impl Answer for AgentActionsExecuted {
    fn describe(description: &mut Description) {
        let ended = "Every approved action has ended";
        let runs =
            "Some approved actions still run or are under way, or further users have to approve";
        for (status, about) in [(StatusCode::OK, ended), (StatusCode::ACCEPTED, runs)] {
            let schema = description.schema::<Self>();
            description.success(status, about, Some(schema), &[]);
        }
    }
}

impl AgentActionsExecuted {
    /// Returns the results of these actions that have ended, and the session.
    pub async fn read(
        app: &App,
        whole: &SessionWithActions,
        ids: &[String],
    ) -> Result<Self, Error> {
        let (context, excerpts) = app.store.agent().context(whole).await?;
        let now = app.clock.now();
        let mut results = results(whole, &excerpts);
        results.retain(|result| ids.contains(&result.action_id));
        let mut listed = ids.iter().filter_map(|id| whole.session.proposed(id));
        let is_pending = listed.any(|action| {
            let mut approvals = action.approvals.iter();
            let is_awaited = whole.session.plan.awaited.contains_key(&action.id);
            is_awaited || approvals.any(|approval| approval.is_valid(now))
        });
        Ok(Self {
            results,
            session: AgentSessionView::of(&whole.session, whole, &context, &excerpts, now),
            is_pending: is_pending || whole.session.works(),
        })
    }
}

view! {
    /// A session.
    #[schema(as = AgentSession)]
    pub struct AgentSessionView of session(
        session: &Stored<AgentSession>,
        whole: &SessionWithActions,
        context: &SessionContext,
        excerpts: &Excerpts,
        now: Timestamp,
    ) {
        id: AgentSessionId,
        alert_id: AlertId = session.alert.alert_id,
        status: AgentSessionStatus = session.status_at(now),
        created_at: Timestamp = session.times.created_at,
        updated_at: Timestamp = session.times.updated_at,
        /// Reason why it failed.
        error: Option<String> = session.error_at(now).map(str::to_owned),
        /// Rejection of the proposal; null if it was not rejected.
        rejection: Option<Rejection> = session.people.rejection.clone(),
        /// Newest analysis; null before the first.
        analysis: Option<Analysis> = session.analysis.newest.clone(),
        /// Reads of target systems for the analysis.
        reads: Vec<ReadView> = reads(session, excerpts),
        /// Actions of the newest proposal.
        proposed_actions: Vec<ActionView> = action::of_session(whole, now),
        /// Results of the approved actions that have ended.
        execution_results: Vec<ResultView> = results(whole, excerpts),
        /// Next step; null if nothing is left to do.
        next: Option<Next> = session.next(context, now),
        /// Number of actions that a user can approve, settle or hand over.
        open_actions: usize = session.open_actions(context.is_resolved, now).count(),
        /// Version, raised by every write.
        version: i64,
    }
}

versioned!(AgentSessionView);

impl AgentSessionView {
    pub async fn read(app: &App, whole: &SessionWithActions) -> Result<Self, Error> {
        let (context, excerpts) = app.store.agent().context(whole).await?;
        let now = app.clock.now();
        Ok(Self::of(&whole.session, whole, &context, &excerpts, now))
    }

    /// Returns the view for a caller. The next step names an approval as theirs.
    pub async fn read_by(
        app: &App,
        whole: &SessionWithActions,
        caller: &Identity,
    ) -> Result<Self, Error> {
        let (context, excerpts) = app.store.agent().context(whole).await?;
        let (now, may) = (app.clock.now(), row::may(caller));
        Ok(Self {
            next: whole.session.next_for(&caller.user, may, &context, now),
            ..Self::of(&whole.session, whole, &context, &excerpts, now)
        })
    }
}

view! {
    #[schema(as = ExecutionResult, examples(json!({
        "actionId": "s3-p1-a1",
        "success": true,
        "response": {"status": 200, "body": {"id": "ub_1001", "state": "completed"}},
        "error": null,
        "steps": [{
            "step": 1,
            "status": "done",
            "at": "2026-01-14T12:05:00.000Z",
            "response": {"status": 200, "body": {"id": "ub_1001", "state": "completed"}}
        }],
        "verification": null,
        "reconciliation": null,
        "verdict": null,
        "executedAt": "2026-01-14T12:05:01.000Z",
        "duration": 840
    })))]
    pub struct ResultView of result(result: ActionResult, excerpts: &Excerpts) {
        action_id: String,
        /// True if it was certainly carried out.
        success: bool,
        /// Kept excerpt of the target system's last answer; null 90 days after it.
        response: Option<Excerpt> = excerpts.get(result.excerpt_hash.as_ref()).cloned(),
        /// Reason why it did not succeed, or why its outcome is unknown.
        error: Option<String>,
        steps: Vec<StepResultView> =
            result.steps.iter().map(|step| StepResultView::of(step, excerpts)).collect(),
        /// Check of its effect; null if the effect is not checked. An action succeeds before it has its
        /// effect.
        verification: Option<VerificationView> = result.verification.map(VerificationView::of),
        /// Check whether a call with an unclear answer took effect.
        reconciliation: Option<ReconciliationView> = result.reconciliation.map(ReconciliationView::of),
        /// A user's verdict on an unknown outcome.
        verdict: Option<Verdict>,
        /// Instant at which it ended.
        executed_at: Timestamp,
        /// Milliseconds from its first attempt to its end.
        duration: i64,
    }
}

view! {
    #[schema(as = StepResult)]
    pub struct StepResultView of step(step: &StepResult, excerpts: &Excerpts) {
        /// `order` of the step.
        step: i64,
        status: StepStatus,
        /// Instant of the status; null for a step that was not sent.
        at: Option<Timestamp>,
        /// Kept excerpt of the last answer to the step; null 90 days after it.
        response: Option<Excerpt> = excerpts.get(step.excerpt_hash.as_ref()).cloned(),
    }
}

view! {
    /// The check of an action's effect.
    #[schema(as = ActionVerification)]
    pub struct VerificationView of check(check: CheckRecord<VerificationStatus>) {
        status: VerificationStatus,
        #[serde(flatten)]
        record: CheckView = check.into(),
    }
}

view! {
    /// The check of a call with an unclear answer.
    #[schema(as = ActionReconciliation)]
    pub struct ReconciliationView of check(check: CheckRecord<ReconciliationStatus>) {
        status: ReconciliationStatus,
        #[serde(flatten)]
        record: CheckView = check.into(),
    }
}

/// Checks of a target system after an action has ended.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ActionLooks)]
pub struct CheckView {
    /// Number of checks made.
    #[serde(rename = "looks")]
    count: i64,
    /// Instant of the last check.
    at: Option<Timestamp>,
    /// Instant of the next check; null if there is none.
    next: Option<Timestamp>,
    /// Facts that the last check found, by `read.fact`.
    found: Option<JsonObject>,
    /// Facts that differ from the expected ones, or the reason why the last check read none.
    problem: Option<String>,
}

impl<S> From<CheckRecord<S>> for CheckView {
    fn from(record: CheckRecord<S>) -> Self {
        Self {
            count: record.count,
            at: record.at,
            next: record.next,
            found: record.found.map(|found| found.0),
            problem: record.problem,
        }
    }
}

fn results(whole: &SessionWithActions, excerpts: &Excerpts) -> Vec<ResultView> {
    let view = |result| ResultView::of(result, excerpts);
    whole.results().into_iter().map(view).collect()
}

view! {
    /// A read of a target system and its result.
    #[schema(as = TargetRead, examples(json!({
        "name": "batch",
        "connection": "billing",
        "request": "GET /usage-batches/ub_1001",
        "status": 200,
        "hash": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "facts": {"batch.state": "processing"},
        "excerpt": {"status": 200, "body": {"id": "ub_1001", "state": "processing"}},
        "error": null,
        "at": "2026-01-14T12:00:59.000Z"
    })))]
    pub struct ReadView of read(read: &ReadEvidence, excerpts: &Excerpts) {
        /// Name of the read; the names of its facts begin with it.
        name: String = read.name.clone(),
        connection: String = read.connection.clone(),
        /// Request that was sent; null if none could be sent.
        #[schema(examples("GET /invoices/inv_1"))]
        request: Option<String> = read.request.clone(),
        /// HTTP status of the answer; null without an answer.
        #[schema(minimum = 100, maximum = 599, examples(200))]
        status: Option<i64> = read.status.map(i64::from),
        /// SHA-256 of the answer's whole body, without secrets.
        hash: Option<String> = read.hash.clone(),
        /// Facts by name: strings, numbers and booleans.
        #[schema(value_type = BTreeMap<String, Value>)]
        facts: BTreeMap<String, Value> = read.facts.0.clone(),
        /// Kept excerpt of the answer; null 90 days after it.
        excerpt: Option<Excerpt> = excerpts.get(read.excerpt_hash.as_ref()).cloned(),
        /// Reason why there is no answer.
        error: Option<String> = read.error.clone(),
        at: Timestamp,
    }
}

/// Returns the views of the reads of a session's newest analysis.
fn reads(session: &AgentSession, excerpts: &Excerpts) -> Vec<ReadView> {
    let reads = session.analysis.reads.iter();
    reads.map(|read| ReadView::of(read, excerpts)).collect()
}
