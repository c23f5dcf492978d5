use std::collections::BTreeMap;

use axum::{
    http::StatusCode,
    response::{IntoResponse, Response},
};
use serde_json::Value;
use shared::{
    agent::{
        action::{ActionResult, PlaybookVersion, StepResult, StepStatus, Verdict},
        check::{CheckPurpose, CheckRecord, CheckStatus},
        connection::Excerpt,
        pattern::Pattern,
        session::{
            AgentSession, AgentSessionStatus, Analysis, Evidence, Next, NotApplicable,
            ReadEvidence, Rejection, SessionContext,
        },
    },
    auth::Identity,
    detail::Detail,
    endpoint::*,
    http::operation::{Answer, Description},
    model::base::{AgentSessionId, AlertId, JsonObject},
    store::agent::{Excerpts, SessionWithActions},
};

use super::{
    action::{ActionView, ShownSession},
    row,
};

// `ToSchema` takes no type arguments.
type MoreOfSession = Detail<SessionDetail>;
type MoreOfAnalysis = Detail<AnalysisDetail>;
type MoreOfResult = Detail<ResultDetail>;

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
    pub struct ProposedSession of session(shown: &ShownSession<'_>, excerpts: &Excerpts) {
        id: AgentSessionId = shown.session.id,
        status: AgentSessionStatus = shown.session.status,
        alert_id: AlertId = shown.session.alert.alert_id,
        analysis: Option<AnalysisView> = analysis(shown),
        proposed_actions: Vec<ActionView> = shown.proposed(),
        #[serde(flatten)]
        #[schema(inline)]
        detail: MoreOfSession = Detail::of(shown.is_full, || SessionDetail::of(shown.session, excerpts)),
    }
}

view! {
    pub struct SessionDetail of session(session: &AgentSession, excerpts: &Excerpts) {
        /// Reads of target systems for the analysis.
        reads: Vec<ReadView> = reads(session, excerpts),
    }
}

view! {
    /// A root-cause analysis. The members of `detail=full` are the ones that are not required.
    #[schema(as = Analysis, examples(json!({
        "rootCause": "The worker that processed usage batch ub_1001 stopped before its end.",
        "impact": "4,821.00 USD of usage are not billed.",
        "affectedSystems": ["billing"],
        "entityLifecycleContext": "Open for 4 hours, then processing for 26.",
        "isAnomalyPattern": false,
        "patternDescription": "No others in the last 24 hours; 0.1 a day before.",
        "pattern": null,
        "confidence": 1.0,
        "confidenceSays": "2 of 2 findings hold; no run of this playbook yet",
        "evidence": [],
        "playbook": null,
        "resolvedWhen": ["batch.state is `processed`"],
        "notApplicable": [],
        "passedOver": []
    })))]
    pub struct AnalysisView of analysis(analysis: Analysis, is_full: bool) {
        /// The most likely cause.
        root_cause: String,
        /// The impact: affected money and records.
        impact: String,
        affected_systems: Vec<String>,
        /// The entity's earlier lifecycle.
        entity_lifecycle_context: String,
        /// True if the alert is one of many rather than a single case.
        is_anomaly_pattern: bool,
        /// The number of other alerts of the class, their rate before, and what they share.
        pattern_description: String,
        /// Share of the playbook's findings that hold, from 0 to 1, with two digits.
        confidence: f64,
        /// The findings and the playbook's record in words.
        #[schema(examples("4 of 4 findings hold; 12 of 12 runs were effective"))]
        confidence_says: String,
        /// The playbook's findings on what was read.
        evidence: Vec<Evidence>,
        /// Conditions under which the agent resolves the alert. Empty if only people resolve it.
        #[schema(examples("invoice.state is `void`"))]
        resolved_when: Vec<String>,
        #[serde(flatten)]
        #[schema(inline)]
        detail: MoreOfAnalysis = Detail::of(is_full, || AnalysisDetail {
            pattern: analysis.pattern,
            playbook: analysis.playbook,
            not_applicable: analysis.not_applicable,
            passed_over: analysis.passed_over,
        }),
    }
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct AnalysisDetail {
    /// The numbers behind the description; null if there are none.
    pattern: Option<Pattern>,
    /// The playbook; null for an analysis without one.
    playbook: Option<PlaybookVersion>,
    /// Actions of the playbook that do not apply to the record as it is.
    not_applicable: Vec<NotApplicable>,
    /// Playbooks for such an alert that were passed over, each as `name#version`. This version of
    /// them did not help one of the alert's records before.
    passed_over: Vec<String>,
}

fn analysis(shown: &ShownSession<'_>) -> Option<AnalysisView> {
    let newest = shown.session.analysis.newest.clone();
    newest.map(|analysis| AnalysisView::of(analysis, shown.is_full))
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
        let pending = self
            .is_pending
            .then_some(StatusCode::ACCEPTED);
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
        (caller, is_full): (&Identity, bool),
    ) -> Result<Self, Error> {
        let (context, excerpts) = app.store.agent().context(whole).await?;
        let shown = shown(whole, &context, (caller, is_full), app.clock.now());
        let mut results = results(whole, &excerpts, is_full);
        results.retain(|result| ids.contains(&result.action_id));
        let mut listed = ids
            .iter()
            .filter_map(|id| whole.session.plan.proposed(id));
        let is_pending = listed.any(|action| {
            let mut approvals = action.approvals.iter();
            let is_awaited = whole
                .session
                .plan
                .awaited
                .contains_key(&action.id);
            is_awaited || approvals.any(|approval| approval.is_valid(shown.now))
        });
        Ok(Self {
            results,
            session: AgentSessionView::of(&whole.session, whole, &shown, &excerpts),
            is_pending: is_pending || whole.session.works(),
        })
    }
}

fn shown<'a>(
    whole: &'a SessionWithActions,
    context: &'a SessionContext,
    (caller, is_full): (&'a Identity, bool),
    now: Timestamp,
) -> ShownSession<'a> {
    ShownSession {
        session: &whole.session,
        actions: &whole.actions.known,
        context,
        caller,
        is_full,
        now,
    }
}

view! {
    /// A session.
    #[schema(as = AgentSession)]
    pub struct AgentSessionView of session(
        session: &Stored<AgentSession>,
        whole: &SessionWithActions,
        shown: &ShownSession<'_>,
        excerpts: &Excerpts,
    ) {
        id: AgentSessionId,
        alert_id: AlertId = session.alert.alert_id,
        status: AgentSessionStatus = session.status_at(shown.now),
        created_at: Timestamp = session.times.created_at,
        updated_at: Timestamp = session.times.updated_at,
        /// Reason why it failed.
        error: Option<String> = session.error_at(shown.now).map(str::to_owned),
        /// Rejection of the proposal; null if it was not rejected.
        rejection: Option<Rejection> = session.people.rejection.clone(),
        /// Newest analysis; null before the first.
        analysis: Option<AnalysisView> = analysis(shown),
        /// Actions of the newest proposal.
        proposed_actions: Vec<ActionView> = shown.proposed(),
        /// Results of the approved actions that have ended.
        execution_results: Vec<ResultView> = results(whole, excerpts, shown.is_full),
        /// Next step; null if nothing is left to do. It names the caller if that is theirs.
        next: Option<Next> =
            session.next_for(&shown.caller.user, row::may(shown.caller), shown.context, shown.now),
        /// Number of actions that a user can approve, settle or hand over.
        open_actions: usize = session.open_actions(shown.context.is_resolved, shown.now).count(),
        /// Version, raised by every write.
        version: i64,
        #[serde(flatten)]
        #[schema(inline)]
        detail: MoreOfSession = Detail::of(shown.is_full, || SessionDetail::of(session, excerpts)),
    }
}

versioned!(AgentSessionView);

impl AgentSessionView {
    /// Returns the view for a caller, with all members if `is_full`.
    pub async fn read(
        app: &App,
        whole: &SessionWithActions,
        (caller, is_full): (&Identity, bool),
    ) -> Result<Self, Error> {
        let (context, excerpts) = app.store.agent().context(whole).await?;
        let shown = shown(whole, &context, (caller, is_full), app.clock.now());
        Ok(Self::of(&whole.session, whole, &shown, &excerpts))
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
        "checks": [],
        "verdict": null,
        "executedAt": "2026-01-14T12:05:01.000Z",
        "duration": 840
    })))]
    pub struct ResultView of result(result: ActionResult, excerpts: &Excerpts, is_full: bool) {
        action_id: String,
        /// True if it was certainly carried out.
        success: bool,
        /// Kept excerpt of the target system's last answer; null 90 days after it.
        response: Option<Excerpt> = excerpts.get(result.excerpt_hash.as_ref()).cloned(),
        /// Reason why it did not succeed, or why its outcome is unknown.
        error: Option<String>,
        /// Checks of the target system after its end: of an unclear call, and of the effect. An
        /// action succeeds before its effect is found.
        checks: Vec<CheckView> = result.checks.begun().map(CheckView::of).collect(),
        /// A user's verdict on an unknown outcome.
        verdict: Option<Verdict>,
        /// Instant at which it ended.
        executed_at: Timestamp,
        /// Milliseconds from its first attempt to its end.
        duration: i64,
        #[serde(flatten)]
        #[schema(inline)]
        detail: MoreOfResult = Detail::of(is_full, || ResultDetail {
            steps: result.steps.iter().map(|step| StepResultView::of(step, excerpts)).collect(),
        }),
    }
}

#[derive(Debug, Serialize, ToSchema)]
struct ResultDetail {
    steps: Vec<StepResultView>,
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
    /// Checks of a target system after an action has ended.
    #[schema(as = ActionCheck)]
    pub struct CheckView of record((purpose, record): (CheckPurpose, &CheckRecord)) {
        purpose: CheckPurpose = purpose,
        status: CheckStatus,
        /// Number of checks made.
        count: i64,
        /// Instant of the last check.
        at: Option<Timestamp>,
        /// Instant of the next check; null if there is none.
        next: Option<Timestamp>,
        /// Facts that the last check found, by `read.fact`.
        found: Option<JsonObject> = record.found.as_ref().map(|facts| facts.0.clone()),
        /// Facts that differ from the expected ones, or the reason why the last check read none.
        problem: Option<String> = record.problem.clone(),
    }
}

fn results(whole: &SessionWithActions, excerpts: &Excerpts, is_full: bool) -> Vec<ResultView> {
    let results = whole.results().into_iter();
    results
        .map(|result| ResultView::of(result, excerpts, is_full))
        .collect()
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
    reads
        .map(|read| ReadView::of(read, excerpts))
        .collect()
}
