//! Sessions as the API answers them.

use axum::{
    Json,
    http::StatusCode,
    response::{IntoResponse, Response},
};
use serde::Serialize;
use serde_json::Value;
use shared::{
    http::operation::{Answer, Description},
    model::{
        ActionResult, AgentSession, AgentSessionId, AgentSessionStatus, Analysis, JsonObject,
        JsonText, Looks, ReconciliationStatus, Rejection, SignalId, StepResult, StepStatus,
        Timestamp, Verdict, VerificationStatus,
    },
    store::{SessionWithActions, Stored},
    versioned,
};
use utoipa::ToSchema;

use super::{
    action::{self, ActionView},
    read::{self, ReadView},
};

/// A session that was just opened.
#[derive(Debug, Serialize, ToSchema)]
pub struct AgentSessionOpened {
    session: AgentSessionSummary,
}

/// The session, in short.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentSessionSummary {
    id: AgentSessionId,
    alert_id: SignalId,
    status: AgentSessionStatus,
    created_at: Timestamp,
    /// Raised by every write.
    version: i64,
}

impl AgentSessionOpened {
    /// As of `now`.
    pub fn of(session: &Stored<AgentSession>, now: Timestamp) -> Self {
        Self {
            session: AgentSessionSummary::of(session, now),
        }
    }
}

impl AgentSessionSummary {
    /// As of `now`.
    pub fn of(session: &Stored<AgentSession>, now: Timestamp) -> Self {
        Self {
            version: session.version,
            id: session.id,
            alert_id: session.alert_id,
            status: session.status_at(now),
            created_at: session.created_at,
        }
    }
}

/// A proposal.
#[derive(Debug, Serialize, ToSchema)]
pub struct AgentSessionProposed {
    session: ProposedSession,
}

/// The session with its proposal.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProposedSession {
    id: AgentSessionId,
    status: AgentSessionStatus,
    alert_id: SignalId,
    analysis: Option<Analysis>,
    /// What was read of target systems for it.
    reads: Vec<ReadView>,
    proposed_actions: Vec<ActionView>,
}

impl AgentSessionProposed {
    /// Of a session that was just analysed.
    pub fn of(session: &AgentSession) -> Self {
        Self {
            session: ProposedSession {
                id: session.id,
                status: session.status,
                alert_id: session.alert_id,
                analysis: session.analysis.clone(),
                reads: read::of(session),
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
    /// Whether the policy asks for more approvers.
    #[serde(skip)]
    is_pending: bool,
}

impl IntoResponse for AgentActionsExecuted {
    fn into_response(self) -> Response {
        let status = if self.session.is_running() || self.is_pending {
            StatusCode::ACCEPTED
        } else {
            StatusCode::OK
        };
        (status, Json(self)).into_response()
    }
}

impl Answer for AgentActionsExecuted {
    fn describe(description: &mut Description) {
        for (status, about) in [
            (StatusCode::OK, "Every approved action has ended"),
            (
                StatusCode::ACCEPTED,
                "Some approved actions still run, or others have to approve first",
            ),
        ] {
            let schema = description.schema::<Self>();
            description.success(status, about, Some(schema), &[]);
        }
    }
}

impl AgentActionsExecuted {
    /// The results of these actions, as far as there are any.
    pub fn of(whole: &SessionWithActions, ids: &[String], now: Timestamp) -> Self {
        let session = AgentSessionView::of(whole, now);
        let mut results = results(whole);
        results.retain(|result| ids.contains(&result.action_id));
        let mut listed = ids.iter().filter_map(|id| whole.session.proposed(id));
        let is_pending = listed.any(|action| {
            action
                .approvals
                .iter()
                .any(|approval| approval.is_valid(now))
        });
        Self {
            results,
            session,
            is_pending,
        }
    }
}

/// A session.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = AgentSession)]
#[serde(rename_all = "camelCase")]
pub struct AgentSessionView {
    id: AgentSessionId,
    alert_id: SignalId,
    status: AgentSessionStatus,
    created_at: Timestamp,
    updated_at: Timestamp,
    /// Why it failed.
    error: Option<String>,
    /// That somebody rejected what it proposed.
    rejection: Option<Rejection>,
    /// Null before the first.
    analysis: Option<Analysis>,
    /// What was read of target systems for it.
    reads: Vec<ReadView>,
    /// Those of the newest proposal.
    proposed_actions: Vec<ActionView>,
    /// Those of approved actions that have ended.
    execution_results: Vec<ResultView>,
    /// Raised by every write.
    version: i64,
}

versioned!(AgentSessionView);

impl AgentSessionView {
    /// Whether approved actions may still change.
    const fn is_running(&self) -> bool {
        self.status.is_running()
    }

    /// As of `now`.
    pub fn of(whole: &SessionWithActions, now: Timestamp) -> Self {
        let session = &whole.session;
        Self {
            version: session.version,
            id: session.id,
            alert_id: session.alert_id,
            status: session.status_at(now),
            created_at: session.created_at,
            updated_at: session.updated_at,
            error: session.error_at(now).map(str::to_owned),
            rejection: session.rejection.clone(),
            analysis: session.analysis.clone(),
            reads: read::of(session),
            proposed_actions: action::of_session(whole, now),
            execution_results: results(whole),
        }
    }
}

/// What became of an approved action.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ExecutionResult)]
#[serde(rename_all = "camelCase")]
pub struct ResultView {
    action_id: String,
    /// Whether it is done for certain.
    success: bool,
    /// The last answer of the target system.
    response: Option<TargetResponse>,
    /// Why it did not succeed, or that it is not known whether it did.
    error: Option<String>,
    /// What became of each of its steps.
    steps: Vec<StepResultView>,
    /// Whether it had its effect, where that is looked for: it succeeded before it has.
    verification: Option<VerificationView>,
    /// What looks told of a call whose answer did not tell whether it took effect.
    reconciliation: Option<ReconciliationView>,
    /// What somebody found out about it when its outcome was unknown.
    verdict: Option<Verdict>,
    /// When it ended.
    executed_at: Timestamp,
    /// Milliseconds from its first attempt to its end.
    duration: i64,
}

/// What became of a step.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = StepResult)]
pub struct StepResultView {
    /// Its `order`.
    step: i64,
    status: StepStatus,
    /// Since when; null for one that was not sent.
    at: Option<Timestamp>,
    /// The last answer to it, its body up to 1 KiB.
    response: Option<TargetResponse>,
}

/// Whether an action had its effect.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ActionVerification)]
pub struct VerificationView {
    status: VerificationStatus,
    #[serde(flatten)]
    looks: LooksView,
}

/// What became of a call whose answer did not tell.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ActionReconciliation)]
pub struct ReconciliationView {
    status: ReconciliationStatus,
    #[serde(flatten)]
    looks: LooksView,
}

/// Looks at a target system after an action has ended.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ActionLooks)]
pub struct LooksView {
    /// How often it was looked.
    looks: i64,
    /// When it was looked last.
    at: Option<Timestamp>,
    /// When it is looked next; null once that is over.
    next: Option<Timestamp>,
    /// What was found last, by `read.fact`.
    found: Option<JsonObject>,
    /// What was found instead of what was looked for, or why nothing was.
    problem: Option<String>,
}

impl<S> From<Looks<S>> for LooksView {
    fn from(looks: Looks<S>) -> Self {
        Self {
            looks: looks.looks,
            at: looks.at,
            next: looks.next,
            found: looks.found.map(|found| found.0),
            problem: looks.problem,
        }
    }
}

impl From<StepResult> for StepResultView {
    fn from(result: StepResult) -> Self {
        Self {
            step: result.step,
            status: result.status,
            at: result.at,
            response: result.response.map(Into::into),
        }
    }
}

/// An answer of a target system.
#[derive(Debug, Serialize, ToSchema)]
pub struct TargetResponse {
    /// Its HTTP status.
    #[schema(minimum = 100, maximum = 599, examples(200))]
    status: i64,
    /// Its body: JSON, or the beginning of it as text.
    body: Value,
}

impl From<JsonText> for TargetResponse {
    fn from(JsonText(JsonObject(mut kept)): JsonText) -> Self {
        Self {
            status: kept
                .get("status")
                .and_then(Value::as_i64)
                .unwrap_or_default(),
            body: kept.remove("body").unwrap_or_default(),
        }
    }
}

impl From<ActionResult> for ResultView {
    fn from(result: ActionResult) -> Self {
        Self {
            action_id: result.action_id,
            success: result.success,
            response: result.response.map(Into::into),
            error: result.error,
            steps: result.steps.into_iter().map(Into::into).collect(),
            verification: result.verification.map(|looks| VerificationView {
                status: looks.status,
                looks: looks.into(),
            }),
            reconciliation: result.reconciliation.map(|looks| ReconciliationView {
                status: looks.status,
                looks: looks.into(),
            }),
            verdict: result.verdict,
            executed_at: result.executed_at,
            duration: result.duration,
        }
    }
}

fn results(whole: &SessionWithActions) -> Vec<ResultView> {
    whole.results().into_iter().map(Into::into).collect()
}
