//! Proposed actions as the API answers them.

use serde::Serialize;
use shared::{
    model::{
        ActionApproval, ActionStep, ActionType, AgentSession, AnswerCondition, ApiCall,
        ConnectionRevision, FactCondition, Handling, JsonObject, Money, MoneyEffect,
        PlaybookVersion, ProposedAction, Risk, TargetRead, Timestamp, UserId, span,
    },
    store::SessionWithActions,
};
use utoipa::ToSchema;

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
    /// SHA-256 of all that is approved with it. Sent back with the approval, it makes sure that
    /// nothing else is.
    digest: String,
    /// The playbook that it comes from.
    playbook: Option<PlaybookVersion>,
    /// The connection that it is sent through, as it was when it was proposed: its digest goes by that;
    /// null where there is none.
    connection: Option<ConnectionRevision>,
    /// The money that it moves; null where it moves none or the amount is not known.
    money: Option<Money>,
    /// Which way it moves that; null where it moves none.
    money_effect: Option<MoneyEffect>,
    /// What has to be so if it is to be done: conditions on what was read.
    #[schema(examples("invoice.state is draft or open"))]
    require: Vec<String>,
    /// How it is found out whether it had its effect; null where nobody can look.
    verify: Option<VerificationView>,
    /// What is read for these: the calls, which change nothing.
    #[schema(examples("GET /invoices/inv_1"))]
    reads: Vec<String>,
    /// Where its approval stands, while it needs more approvers than it has.
    approval: Option<ApprovalView>,
    /// Who approved it, the last one last.
    approvals: Vec<ApproverView>,
    /// How it is undone and until when; null where nothing is known of that.
    undo: Option<String>,
    /// What became of a manual action; null while nobody took care of it.
    handling: Option<Handling>,
}

/// How far an action's approval is.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = PendingApproval)]
#[serde(rename_all = "camelCase")]
pub struct ApprovalView {
    /// How many people approved it.
    given: i64,
    /// How many have to.
    needed: i64,
    /// When the first of these approvals is no longer valid.
    expires_at: Timestamp,
}

/// That somebody approved an action.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ActionApproval)]
#[serde(rename_all = "camelCase")]
pub struct ApproverView {
    user_id: UserId,
    at: Timestamp,
    /// The digest of what they approved.
    digest: Option<String>,
    /// What they had to say.
    note: Option<String>,
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
    /// All of what is sent; null where a person does it.
    request: Option<RequestView>,
    /// What the body of an answer has to say beside its status; all of it.
    #[schema(examples("/state is void"))]
    success: Vec<String>,
    /// What is looked at where an answer does not tell whether the call took effect; null where nothing
    /// would tell.
    reconcile: Option<ReconciliationView>,
}

/// How it is found out whether an action had its effect.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ProposedVerification)]
#[serde(rename_all = "camelCase")]
pub struct VerificationView {
    /// What is so then.
    #[schema(examples("invoice.state is void"))]
    effective: String,
    /// Within how many minutes.
    minutes: i64,
}

/// How it is found out whether a call took effect.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = StepReconciliation)]
#[serde(rename_all = "camelCase")]
pub struct ReconciliationView {
    /// What is so if it did.
    done: String,
    /// What is so if it did not; null where no look proves that, since it may still come.
    not_done: Option<String>,
}

/// What is sent to a target system.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = StepRequest)]
pub struct RequestView {
    method: String,
    /// Below the target system's base URL.
    path: String,
    body: Option<JsonObject>,
}

/// The actions of a session's newest proposal, of which none was approved.
pub fn of_proposal(session: &AgentSession) -> Vec<ActionView> {
    let all = session.proposed_actions.iter();
    all.map(|action| ActionView::of(action, session)).collect()
}

/// The actions of a session's newest proposal, as of `now`.
pub fn of_session(whole: &SessionWithActions, now: Timestamp) -> Vec<ActionView> {
    let session = &whole.session;
    let actions = session.proposed_actions.iter().map(|action| {
        let mut known = whole.actions.known.iter();
        let approved = known.find(|known| known.action_id == action.id);
        let approvals = approved.into_iter().flat_map(|known| &known.approvals);
        let approvals = approvals.chain(&action.approvals);
        ActionView {
            approval: ApprovalView::of(action, now),
            approvals: approvals.map(ApproverView::from).collect(),
            ..ActionView::of(action, session)
        }
    });
    actions.collect()
}

impl ActionView {
    fn of(action: &ProposedAction, session: &AgentSession) -> Self {
        let ids = |keys: &[String]| {
            let all = session.proposed_actions.iter();
            let named = all.filter(|other| keys.contains(&other.key));
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
            digest: action.digest(session),
            playbook: action.playbook.clone(),
            connection: action.connection.clone(),
            money: action.money.clone(),
            money_effect: action.money_effect,
            require: action.require.iter().map(FactCondition::says).collect(),
            verify: action.verify.as_ref().map(|verify| VerificationView {
                effective: verify.effective.says(),
                minutes: verify.within / span::MINUTE,
            }),
            reads: action.reads.iter().map(read).collect(),
            approval: None,
            approvals: Vec::new(),
            undo: action.undo.clone(),
            handling: action.handling.clone(),
        }
    }
}

fn read(read: &TargetRead) -> String {
    read.call().summary()
}

impl ApprovalView {
    fn of(action: &ProposedAction, now: Timestamp) -> Option<Self> {
        let valid = action.approvals.iter().filter(|one| one.is_valid(now));
        let expires_at = valid.clone().map(ActionApproval::expires_at).min()?;
        let given = i64::try_from(valid.count()).unwrap_or(i64::MAX);
        let needed = action.approvers;
        (given < needed).then_some(Self {
            given,
            needed,
            expires_at,
        })
    }
}

impl From<&ActionApproval> for ApproverView {
    fn from(approval: &ActionApproval) -> Self {
        Self {
            user_id: approval.user_id,
            at: approval.at,
            digest: approval.digest.clone(),
            note: approval.note.clone(),
        }
    }
}

impl From<&ActionStep> for StepView {
    fn from(step: &ActionStep) -> Self {
        let call = step.call.as_ref();
        Self {
            order: step.order,
            description: step.description.clone(),
            api_call: call.map(ApiCall::summary).unwrap_or_default(),
            request: call.map(|call| RequestView {
                method: call.method.clone(),
                path: call.path.clone(),
                body: call.body.as_ref().map(|body| body.0.clone()),
            }),
            success: call
                .into_iter()
                .flat_map(|call| &call.success)
                .map(AnswerCondition::says)
                .collect(),
            reconcile: step.reconcile.as_ref().map(|reconcile| ReconciliationView {
                done: reconcile.done.says(),
                not_done: reconcile.not_done.as_ref().map(FactCondition::says),
            }),
        }
    }
}
