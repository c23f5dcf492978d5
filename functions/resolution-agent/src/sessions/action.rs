use shared::endpoint::*;

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ProposedAction, examples(json!({
    "id": "s3-p1-a1",
    "actionType": "reprocess_usage_batch",
    "description": "Process usage batch ub_1001 again",
    "isAutomated": true,
    "targetSystem": "billing",
    "targetEntities": ["ub_1001"],
    "expectedOutcome": "The batch is completed and its usage is billed.",
    "risk": "critical",
    "steps": [{
        "order": 1,
        "description": "Process usage batch ub_1001 again",
        "apiCall": "POST /usage-batches/ub_1001/reprocess",
        "request": null,
        "success": [],
        "reconcile": null
    }],
    "excludes": [],
    "after": [],
    "unless": [],
    "digest": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "playbook": null,
    "connection": null,
    "money": {"direction": "customer_is_billed_later", "amount": null},
    "require": ["batch.state is `processing`"],
    "verify": null,
    "reads": ["GET /usage-batches/ub_1001"],
    "approval": null,
    "approvals": [],
    "reversible": {"is": "no", "says": "A processed batch stays processed."},
    "handling": null
})))]
#[serde(rename_all = "camelCase")]
pub struct ActionView {
    id: String,
    action_type: ActionType,
    description: String,
    /// True if the agent can execute it; otherwise a user does it by hand.
    is_automated: bool,
    target_system: String,
    target_entities: Vec<String>,
    expected_outcome: String,
    risk: Risk,
    steps: Vec<StepView>,
    /// Ids of actions that share a record with this one, and are not executed together with it.
    excludes: Vec<String>,
    /// Ids of actions that run first if they are executed together with this one. Unless they
    /// succeed, this one is skipped.
    after: Vec<String>,
    /// Ids of actions that run first if they are executed together with this one. If one of them
    /// succeeds, this one is not needed and is skipped.
    unless: Vec<String>,
    /// SHA-256 of all that an approval covers, in hexadecimal. Send it back with the approval: if
    /// the action has changed, that is 409 `content_changed`.
    digest: String,
    playbook: Option<PlaybookVersion>,
    /// Connection that it is sent through, with its revision at the proposal. The digest covers
    /// both. Null if there is no connection.
    connection: Option<ConnectionRevision>,
    /// Money that it moves; null if it moves none.
    money: Option<MoneyMoved>,
    /// Preconditions on facts of the reads.
    #[schema(examples("invoice.state is `draft` or `open`"))]
    require: Vec<String>,
    /// Check of the effect after the action; null if there is none.
    verify: Option<VerificationView>,
    /// GETs that read these facts; they change nothing.
    #[schema(examples("GET /invoices/inv_1"))]
    reads: Vec<String>,
    /// State of the approval while it lacks approvers; null otherwise.
    approval: Option<ApprovalView>,
    /// Approvals, oldest first.
    approvals: Vec<ApproverView>,
    /// Way to undo it; null if none is known.
    reversible: Option<Reversible>,
    /// Outcome of a manual action; null until it is done, waived or handed over.
    handling: Option<Handling>,
}

/// The state of an approval that lacks approvers.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = PendingApproval)]
#[serde(rename_all = "camelCase")]
pub struct ApprovalView {
    /// Number of valid approvals.
    given: i64,
    /// Number of approvals that the policy requires.
    needed: i64,
    /// Instant at which the first of these approvals expires.
    expires_at: Timestamp,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ActionApproval)]
#[serde(rename_all = "camelCase")]
pub struct ApproverView {
    user_id: UserId,
    at: Timestamp,
    /// Digest of what was approved.
    digest: Option<String>,
    /// Note of the approver.
    note: Option<String>,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ActionStep, examples(json!({
    "order": 1,
    "description": "Process usage batch ub_1001 again",
    "apiCall": "POST /usage-batches/ub_1001/reprocess",
    "request": null,
    "success": [],
    "reconcile": null
})))]
#[serde(rename_all = "camelCase")]
pub struct StepView {
    order: i64,
    description: String,
    /// Method and path; empty for a step that a user does by hand.
    #[schema(examples("POST /usage-batches/ub_1001/reprocess"))]
    api_call: String,
    /// Request of the step; null for a manual step.
    request: Option<RequestView>,
    /// Conditions on the answer's body, all of which a success meets besides its status.
    #[schema(examples("/state is `void`"))]
    success: Vec<String>,
    /// Check that is made if the answer leaves open whether the call took effect; null if there is
    /// none.
    reconcile: Option<ReconciliationView>,
}

/// The check of an action's effect.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ProposedVerification)]
#[serde(rename_all = "camelCase")]
pub struct VerificationView {
    /// Condition that holds once the action had its effect.
    #[schema(examples("invoice.state is `void`"))]
    effective: String,
    /// Condition that the amount found is the approved one; null for an action without an amount.
    #[schema(examples("invoice.amount is 48210"))]
    amount: Option<String>,
    /// Minutes within which it holds.
    minutes: i64,
}

/// The check whether a call took effect.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = StepReconciliation)]
#[serde(rename_all = "camelCase")]
pub struct ReconciliationView {
    /// Condition that holds if the call took effect.
    done: String,
    /// Condition that holds if it did not. Null if no check proves that, since the effect may come
    /// later.
    not_done: Option<String>,
    /// Condition that holds if the call failed after it had been under way. Null if none is known.
    refused: Option<String>,
}

/// A request to a target system.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = StepRequest)]
pub struct RequestView {
    method: String,
    /// Path below the base URL of the connection.
    path: String,
    body: Option<JsonObject>,
}

/// Returns the views of a session's newest proposal, of which no action was approved.
pub fn of_proposal(session: &AgentSession) -> Vec<ActionView> {
    let all = session.plan.proposed_actions.iter();
    all.map(|action| ActionView::of(action, session)).collect()
}

/// Returns the views of a session's newest proposal, as of `now`.
pub fn of_session(whole: &SessionWithActions, now: Timestamp) -> Vec<ActionView> {
    let session = &whole.session;
    let shown = |approval: &ActionApproval| ApproverView {
        user_id: approval.user_id,
        at: approval.at,
        digest: approval.digest.clone(),
        note: approval.note.clone(),
    };
    let actions = session.plan.proposed_actions.iter().map(|action| {
        let mut known = whole.actions.known.iter();
        let approved = known.find(|known| known.key.action_id == action.id);
        let approved = approved.into_iter();
        let approvals = approved.flat_map(|known| &known.round.approvals);
        let approvals = approvals.chain(&action.approvals);
        ActionView {
            approval: ApprovalView::of(action, now),
            approvals: approvals.map(shown).collect(),
            ..ActionView::of(action, session)
        }
    });
    actions.collect()
}

impl ActionView {
    fn of(action: &ProposedAction, session: &AgentSession) -> Self {
        let ids = |keys: &[String]| {
            let all = session.plan.proposed_actions.iter();
            let named = all.filter(|other| keys.contains(&other.key));
            named.map(|other| other.id.clone()).collect()
        };
        let content = &action.content;
        let verify = |verify: &Verification| VerificationView {
            effective: verify.effective.says(),
            amount: verify.amount.as_ref().map(FactCondition::says),
            minutes: verify.within / span::MINUTE,
        };
        let read = |read: &TargetRead| read.call().summary();
        Self {
            id: action.id.clone(),
            action_type: content.action_type,
            description: content.description.clone(),
            is_automated: action.is_automated,
            target_system: content.target_system.clone(),
            target_entities: content.entity_ids(),
            expected_outcome: content.expected_outcome.clone(),
            risk: content.risk,
            steps: content.steps.iter().map(StepView::from).collect(),
            excludes: session.excluded_by(action),
            after: ids(&action.after),
            unless: ids(&action.unless),
            digest: action.digest(session),
            playbook: content.playbook.clone(),
            connection: content.connection.clone(),
            money: content.money.clone(),
            require: content.require.iter().map(FactCondition::says).collect(),
            verify: content.verify.as_ref().map(verify),
            reads: content.reads.iter().map(read).collect(),
            approval: None,
            approvals: Vec::new(),
            reversible: content.reversible.clone(),
            handling: action.handling.clone(),
        }
    }
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

impl From<&ActionStep> for StepView {
    fn from(step: &ActionStep) -> Self {
        let call = step.call.as_ref();
        let success = call.into_iter().flat_map(|call| &call.success);
        Self {
            order: step.order,
            description: step.description.clone(),
            api_call: call.map(ApiCall::summary).unwrap_or_default(),
            request: call.map(|call| RequestView {
                method: call.method.clone(),
                path: call.path.clone(),
                body: call.body.as_ref().map(|body| body.0.clone()),
            }),
            success: success.map(AnswerCondition::says).collect(),
            reconcile: step.reconcile.as_ref().map(|reconcile| ReconciliationView {
                done: reconcile.done.says(),
                not_done: reconcile.not_done.as_ref().map(FactCondition::says),
                refused: reconcile.refused.as_ref().map(FactCondition::says),
            }),
        }
    }
}
