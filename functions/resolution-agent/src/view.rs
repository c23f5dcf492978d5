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
        ActionResult, ActionStep, ActionType, AgentSession, AgentSessionId, AgentSessionStatus,
        Analysis, ApiCall, JsonObject, JsonText, ProposedAction, Risk, SignalId, Timestamp,
    },
    store::{SessionWithActions, Stored},
    versioned,
};
use utoipa::ToSchema;

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
                proposed_actions: actions(session),
            },
        }
    }
}

/// Results of approved actions, and their session.
#[derive(Debug, Serialize, ToSchema)]
pub struct AgentActionsExecuted {
    results: Vec<ResultView>,
    session: AgentSessionView,
}

impl IntoResponse for AgentActionsExecuted {
    fn into_response(self) -> Response {
        let status = if self.session.is_running() {
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
            (StatusCode::ACCEPTED, "Some approved actions still run"),
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
        Self { results, session }
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
    /// Null before the first.
    analysis: Option<Analysis>,
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
            analysis: session.analysis.clone(),
            proposed_actions: actions(session),
            execution_results: results(whole),
        }
    }
}

/// A proposed action.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ProposedAction)]
#[serde(rename_all = "camelCase")]
pub struct ActionView {
    id: String,
    action_type: ActionType,
    description: String,
    /// Whether the agent can execute it; otherwise a person has to.
    is_automated: bool,
    target_system: String,
    target_entities: Vec<String>,
    expected_outcome: String,
    risk: Risk,
    steps: Vec<StepView>,
    /// Ids of actions of which none can be executed with this one, or after it.
    excludes: Vec<String>,
    /// Ids of actions that come first where they are executed with this one: unless they succeed,
    /// this one is skipped.
    after: Vec<String>,
}

/// A step of an action.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ActionStep)]
#[serde(rename_all = "camelCase")]
pub struct StepView {
    order: i64,
    description: String,
    /// Empty where a person does it.
    #[schema(examples("POST /usage-batches/ub_1001/reprocess"))]
    api_call: String,
}

impl ActionView {
    /// An action among those of its proposal.
    fn of(action: &ProposedAction, all: &[ProposedAction]) -> Self {
        let ids = |keys: &[String]| {
            let named = all.iter().filter(|other| keys.contains(&other.key));
            named.map(|other| other.id.clone()).collect()
        };
        Self {
            id: action.id.clone(),
            action_type: action.action_type,
            description: action.description.clone(),
            is_automated: action.is_automated,
            target_system: action.target_system.clone(),
            target_entities: action.target_entities.clone(),
            expected_outcome: action.expected_outcome.clone(),
            risk: action.risk,
            steps: action.steps.iter().map(StepView::from).collect(),
            excludes: ids(&action.excludes),
            after: ids(&action.after),
        }
    }
}

impl From<&ActionStep> for StepView {
    fn from(step: &ActionStep) -> Self {
        Self {
            order: step.order,
            description: step.description.clone(),
            api_call: step.call.as_ref().map(ApiCall::summary).unwrap_or_default(),
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
    /// When it ended.
    executed_at: Timestamp,
    /// Milliseconds from its first attempt to its end.
    duration: i64,
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
            executed_at: result.executed_at,
            duration: result.duration,
        }
    }
}

fn actions(session: &AgentSession) -> Vec<ActionView> {
    let all = &session.proposed_actions;
    all.iter()
        .map(|action| ActionView::of(action, all))
        .collect()
}

fn results(whole: &SessionWithActions) -> Vec<ResultView> {
    whole.results().into_iter().map(Into::into).collect()
}
