use axum::{
    http::StatusCode,
    response::{IntoResponse, Response},
};
use shared::endpoint::*;
use shared::http::operation::{Answer, Description};

use super::{
    action::{self, ActionView},
    read::{self, ReadView},
};

/// An opened session.
#[derive(Debug, Serialize, ToSchema)]
pub struct AgentSessionOpened {
    session: AgentSessionSummary,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(examples(json!({
    "id": 3,
    "alertId": 3,
    "status": "started",
    "createdAt": "2026-01-14T12:00:30.000Z",
    "version": 1
})))]
#[serde(rename_all = "camelCase")]
pub struct AgentSessionSummary {
    id: AgentSessionId,
    alert_id: AlertId,
    status: AgentSessionStatus,
    created_at: Timestamp,
    /// Version, raised by every write.
    version: i64,
}

impl AgentSessionOpened {
    pub fn of(session: &Stored<AgentSession>, now: Timestamp) -> Self {
        Self {
            session: AgentSessionSummary {
                version: session.version,
                id: session.id,
                alert_id: session.alert.alert_id,
                status: session.status_at(now),
                created_at: session.times.created_at,
            },
        }
    }
}

/// A session with its new proposal.
#[derive(Debug, Serialize, ToSchema)]
pub struct AgentSessionProposed {
    session: ProposedSession,
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProposedSession {
    id: AgentSessionId,
    status: AgentSessionStatus,
    alert_id: AlertId,
    analysis: Option<Analysis>,
    /// Reads of target systems for the analysis.
    reads: Vec<ReadView>,
    proposed_actions: Vec<ActionView>,
}

impl AgentSessionProposed {
    pub fn of(session: &AgentSession, excerpts: &Excerpts) -> Self {
        Self {
            session: ProposedSession {
                id: session.id,
                status: session.status,
                alert_id: session.alert.alert_id,
                analysis: session.analysis.newest.clone(),
                reads: read::of(session, excerpts),
                proposed_actions: action::of_proposal(session),
            },
        }
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
            session: AgentSessionView::of(whole, &context, &excerpts, now),
            is_pending: is_pending || whole.session.works(),
        })
    }
}

/// A session.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = AgentSession)]
#[serde(rename_all = "camelCase")]
pub struct AgentSessionView {
    id: AgentSessionId,
    alert_id: AlertId,
    status: AgentSessionStatus,
    created_at: Timestamp,
    updated_at: Timestamp,
    /// Reason why it failed.
    error: Option<String>,
    /// Rejection of the proposal; null if it was not rejected.
    rejection: Option<Rejection>,
    /// Newest analysis; null before the first.
    analysis: Option<Analysis>,
    /// Reads of target systems for the analysis.
    reads: Vec<ReadView>,
    /// Actions of the newest proposal.
    proposed_actions: Vec<ActionView>,
    /// Results of the approved actions that have ended.
    execution_results: Vec<ResultView>,
    /// Next step; null if nothing is left to do.
    next: Option<Next>,
    /// Number of actions that a user can approve, settle or hand over.
    open_actions: usize,
    /// Version, raised by every write.
    version: i64,
}

versioned!(AgentSessionView);

impl AgentSessionView {
    pub async fn read(app: &App, whole: &SessionWithActions) -> Result<Self, Error> {
        let (context, excerpts) = app.store.agent().context(whole).await?;
        Ok(Self::of(whole, &context, &excerpts, app.clock.now()))
    }

    fn of(
        whole: &SessionWithActions,
        context: &SessionContext,
        excerpts: &Excerpts,
        now: Timestamp,
    ) -> Self {
        let session = &whole.session;
        Self {
            version: session.version,
            id: session.id,
            alert_id: session.alert.alert_id,
            status: session.status_at(now),
            next: session.next(context, now),
            open_actions: session.open_actions(context.is_resolved, now).count(),
            created_at: session.times.created_at,
            updated_at: session.times.updated_at,
            error: session.error_at(now).map(str::to_owned),
            rejection: session.people.rejection.clone(),
            analysis: session.analysis.newest.clone(),
            reads: read::of(session, excerpts),
            proposed_actions: action::of_session(whole, now),
            execution_results: results(whole, excerpts),
        }
    }
}

#[derive(Debug, Serialize, ToSchema)]
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
#[serde(rename_all = "camelCase")]
pub struct ResultView {
    action_id: String,
    /// True if it was certainly carried out.
    success: bool,
    /// Kept excerpt of the target system's last answer; null 90 days after it.
    response: Option<Excerpt>,
    /// Reason why it did not succeed, or why its outcome is unknown.
    error: Option<String>,
    steps: Vec<StepResultView>,
    /// Check of its effect; null if the effect is not checked. An action succeeds before it has its
    /// effect.
    verification: Option<VerificationView>,
    /// Check whether a call with an unclear answer took effect.
    reconciliation: Option<ReconciliationView>,
    /// A user's verdict on an unknown outcome.
    verdict: Option<Verdict>,
    /// Instant at which it ended.
    executed_at: Timestamp,
    /// Milliseconds from its first attempt to its end.
    duration: i64,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = StepResult)]
pub struct StepResultView {
    /// `order` of the step.
    step: i64,
    status: StepStatus,
    /// Instant of the status; null for a step that was not sent.
    at: Option<Timestamp>,
    /// Kept excerpt of the last answer to the step; null 90 days after it.
    response: Option<Excerpt>,
}

/// The check of an action's effect.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ActionVerification)]
pub struct VerificationView {
    status: VerificationStatus,
    #[serde(flatten)]
    record: CheckView,
}

/// The check of a call with an unclear answer.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ActionReconciliation)]
pub struct ReconciliationView {
    status: ReconciliationStatus,
    #[serde(flatten)]
    record: CheckView,
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

impl ResultView {
    fn of(result: ActionResult, excerpts: &Excerpts) -> Self {
        let step = |step: &StepResult| StepResultView {
            step: step.step,
            status: step.status,
            at: step.at,
            response: excerpts.get(step.excerpt_hash.as_ref()).cloned(),
        };
        Self {
            action_id: result.action_id,
            success: result.success,
            response: excerpts.get(result.excerpt_hash.as_ref()).cloned(),
            error: result.error,
            steps: result.steps.iter().map(step).collect(),
            verification: result.verification.map(|record| VerificationView {
                status: record.status,
                record: record.into(),
            }),
            reconciliation: result.reconciliation.map(|record| ReconciliationView {
                status: record.status,
                record: record.into(),
            }),
            verdict: result.verdict,
            executed_at: result.executed_at,
            duration: result.duration,
        }
    }
}

fn results(whole: &SessionWithActions, excerpts: &Excerpts) -> Vec<ResultView> {
    let view = |result| ResultView::of(result, excerpts);
    whole.results().into_iter().map(view).collect()
}
