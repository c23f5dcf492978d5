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
            AgentSession, AgentSessionStatus, Analysis, Next, NotApplicable, ReadEvidence,
            Rejection, SessionContext,
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
type ShownAnalysis = Shown<Analysis>;
type ShownRead = Shown<ReadEvidence>;

/// An opened session.
#[derive(Debug, Serialize, ToSchema)]
pub struct AgentSessionOpened {
    pub(super) session: AgentSessionSummary,
}

view! {
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
    #[schema(as = Analysis)]
    pub struct AnalysisView of analysis(analysis: &Analysis, is_full: bool) {
        #[serde(flatten)]
        #[schema(inline)]
        shown: ShownAnalysis = Shown::part(analysis.clone()),
        #[serde(flatten)]
        #[schema(inline)]
        detail: MoreOfAnalysis = Detail::of(is_full, || AnalysisDetail {
            pattern: analysis.pattern.clone(),
            playbook: analysis.playbook.clone(),
            not_applicable: analysis.not_applicable.clone(),
            passed_over: analysis.passed_over.clone(),
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
    let newest = shown.session.analysis.newest.as_ref();
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
    #[schema(as = ExecutionResult)]
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
    #[schema(as = TargetRead)]
    pub struct ReadView of read(read: &ReadEvidence, excerpts: &Excerpts) {
        #[serde(flatten)]
        #[schema(inline)]
        shown: ShownRead = Shown::part(read.clone()),
        /// Facts by name: strings, numbers and booleans.
        #[schema(value_type = BTreeMap<String, Value>)]
        facts: BTreeMap<String, Value> = read.facts.0.clone(),
        /// Kept excerpt of the answer; null 90 days after it.
        excerpt: Option<Excerpt> = excerpts.get(read.excerpt_hash.as_ref()).cloned(),
    }
}

/// Returns the views of the reads of a session's newest analysis.
fn reads(session: &AgentSession, excerpts: &Excerpts) -> Vec<ReadView> {
    let reads = session.analysis.reads.iter();
    reads
        .map(|read| ReadView::of(read, excerpts))
        .collect()
}
