use shared::{
    agent::{
        action::{ActionApproval, ActionContent, ActionStep, AgentAction, Debt, PlaybookVersion},
        check::{FactCondition, Reconciliation, Verification},
        connection::{AnswerCondition, ApiCall, ConnectionRevision},
        session::{AgentSession, Handling, ProposedAction, SessionContext},
    },
    auth::Identity,
    detail::Detail,
    endpoint::*,
    model::base::{JsonObject, span},
};

use super::row::ActionInShort;

// `ToSchema` takes no type arguments.
type MoreOfAction = Detail<ActionDetail>;
type MoreOfStep = Detail<StepDetail>;
type BoundConnection = Shown<ConnectionRevision>;
type Approval = Shown<ActionApproval>;

view! {
    #[schema(as = ProposedAction)]
    pub struct ActionView of action(action: &ProposedAction, shown: &ShownSession<'_>) {
        #[serde(flatten)]
        #[schema(inline)]
        short: ActionInShort = shown.in_short(action),
        expected_outcome: String = action.content.expected_outcome.clone(),
        steps: Vec<StepView> = shown.steps_of(action),
        /// The debt, by the record that owes it; null if the playbook states none.
        debt: Option<Debt> = action.content.debt.clone(),
        /// Records that it changes or holds, as `type/id`. No other action on them runs at the same
        /// time.
        records: Vec<String> = action.content.records.clone(),
        /// Customer who owes the debt, or who gets the message; null if it concerns none.
        customer: Option<String> = customer_of(&action.content),
        /// All that has to be so for the action to be right, each in a sentence. It must hold again
        /// when the action runs.
        require: Vec<String> = action.content.require.iter().map(FactCondition::sentence).collect(),
        /// Ids of actions that share a record with this one, and are not executed together with it.
        excludes: Vec<String> = shown.session.plan.excluded_by(action),
        /// SHA-256 of all that an approval covers, in hexadecimal. Send it back with the approval:
        /// if the action has changed, that is 409 `content_changed`.
        digest: String = action.digest(shown.session),
        /// Outcome of a manual action; null until it is done, waived or handed over.
        handling: Option<Handling> = action.handling.clone(),
        #[serde(flatten)]
        #[schema(inline)]
        detail: MoreOfAction = Detail::of(shown.is_full, || ActionDetail::of(action, shown)),
    }
}

view! {
    pub struct ActionDetail of action(action: &ProposedAction, shown: &ShownSession<'_>) {
        /// Ids of actions that run first if they are executed together with this one. Unless they
        /// succeed, this one is skipped.
        after: Vec<String> = ids(&action.after, shown.session),
        /// Ids of actions that run first if they are executed together with this one. If one of
        /// them succeeds, this one is not needed and is skipped.
        unless: Vec<String> = ids(&action.unless, shown.session),
        playbook: Option<PlaybookVersion> = action.content.playbook.clone(),
        /// Connection that it is sent through, with its revision at the proposal. The digest covers
        /// both. Null if there is no connection.
        connection: Option<BoundConnection> = action.content.connection.clone().map(Shown::part),
        /// Check of the effect after the action; null if there is none.
        verify: Option<VerificationView> = action.content.verify.as_ref().map(VerificationView::of),
        /// GET requests that read the facts of its conditions and of `verify`. They change nothing.
        reads: Vec<String> = action.content.reads.iter().map(|read| read.call().summary()).collect(),
        /// State of the approval while it lacks approvers; null otherwise.
        approval: Option<ApprovalView> = ApprovalView::of(action, shown.now),
        /// Approvals, oldest first.
        approvals: Vec<Approval> = shown.approvals_of(action),
    }
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

view! {
    #[schema(as = ActionStep)]
    pub struct StepView of step(step: &ActionStep, is_full: bool) {
        order: i64,
        description: String = step.description.clone(),
        /// Method and path; empty for a step that a user does by hand.
        api_call: String = step.call.as_ref().map(ApiCall::summary).unwrap_or_default(),
        #[serde(flatten)]
        #[schema(inline)]
        detail: MoreOfStep = Detail::of(is_full, || StepDetail::of(step)),
    }
}

view! {
    pub struct StepDetail of step(step: &ActionStep) {
        /// Request of the step; null for a manual step.
        request: Option<RequestView> = step.call.as_ref().map(RequestView::of),
        /// Conditions on the answer's body, all of which a success meets besides its status.
        success: Vec<String> =
            step.call.iter().flat_map(|call| &call.success).map(AnswerCondition::says).collect(),
        /// Check that is made if the answer leaves open whether the call took effect; null if there
        /// is none.
        reconcile: Option<ReconciliationView> = step.reconcile.as_ref().map(ReconciliationView::of),
    }
}

view! {
    /// The check of an action's effect.
    #[schema(as = ProposedVerification)]
    pub struct VerificationView of verify(verify: &Verification) {
        /// Condition that holds once the action had its effect; several are joined by "and".
        effective: String = joined(&verify.effective),
        /// Conditions of which none may hold. One of them shows another effect than the approved
        /// one.
        fails_if: Vec<String> = verify.fails_if.iter().map(FactCondition::says).collect(),
        /// Condition that the amount found is the approved one; null for an action without an
        /// amount.
        amount: Option<String> = verify.amount.as_ref().map(FactCondition::says),
        /// Minutes within which it holds.
        minutes: i64 = verify.within / span::MINUTE,
    }
}

view! {
    /// The check whether a call took effect.
    #[schema(as = StepReconciliation)]
    pub struct ReconciliationView of reconcile(reconcile: &Reconciliation) {
        /// Condition that holds if the call took effect.
        done: String = reconcile.done.says(),
        /// Condition that holds if it did not. Null if no check proves that, since the effect may
        /// come later.
        not_done: Option<String> = reconcile.not_done.as_ref().map(FactCondition::says),
        /// Condition that holds if the call failed after it had been under way. Null if none is
        /// known.
        refused: Option<String> = reconcile.refused.as_ref().map(FactCondition::says),
    }
}

view! {
    /// A request to a target system.
    #[schema(as = StepRequest)]
    pub struct RequestView of call(call: &ApiCall) {
        method: String = call.method.clone(),
        /// Path below the base URL of the connection.
        path: String = call.path.clone(),
        body: Option<JsonObject> = call.body.as_ref().map(|body| body.0.clone()),
    }
}

fn joined(conditions: &[FactCondition]) -> String {
    let each: Vec<String> = conditions
        .iter()
        .map(FactCondition::says)
        .collect();
    each.join(", and ")
}

/// Returns the customer whom an action concerns.
fn customer_of(content: &ActionContent) -> Option<String> {
    let owes = content
        .debt
        .as_ref()
        .map(|debt| &debt.customer);
    content
        .customer
        .as_ref()
        .or(owes)
        .cloned()
}

/// A session as it is shown to a caller.
#[derive(Clone, Copy, Debug)]
pub struct ShownSession<'a> {
    pub session: &'a AgentSession,
    /// Records of the approved actions.
    pub actions: &'a [Stored<AgentAction>],
    pub context: &'a SessionContext,
    pub caller: &'a Identity,
    /// True if the answer has all members.
    pub is_full: bool,
    pub now: Timestamp,
}

impl ShownSession<'_> {
    /// Returns the views of the session's newest proposal.
    pub fn proposed(&self) -> Vec<ActionView> {
        let actions = self
            .session
            .plan
            .proposed_actions
            .iter();
        actions
            .map(|action| ActionView::of(action, self))
            .collect()
    }

    fn in_short(&self, action: &ProposedAction) -> ActionInShort {
        ActionInShort::for_caller(action, self.session, self.context, self.caller, self.now)
    }

    fn steps_of(&self, action: &ProposedAction) -> Vec<StepView> {
        let steps = action.content.steps.iter();
        steps
            .map(|step| StepView::of(step, self.is_full))
            .collect()
    }

    fn approvals_of(&self, action: &ProposedAction) -> Vec<Approval> {
        let mut actions = self.actions.iter();
        let stored = actions.find(|stored| stored.key.action_id == action.id);
        let approved = stored
            .into_iter()
            .flat_map(|stored| &stored.round.approvals);
        approved
            .chain(&action.approvals)
            .cloned()
            .map(Shown::part)
            .collect()
    }
}

/// Returns the ids of the proposed actions with these keys.
fn ids(keys: &[String], session: &AgentSession) -> Vec<String> {
    let actions = session.plan.proposed_actions.iter();
    let named = actions.filter(|other| keys.contains(&other.key));
    named
        .map(|other| other.id.clone())
        .collect()
}

impl ApprovalView {
    fn of(action: &ProposedAction, now: Timestamp) -> Option<Self> {
        let valid = action
            .approvals
            .iter()
            .filter(|approval| approval.is_valid(now));
        let expires_at = valid
            .clone()
            .map(ActionApproval::expires_at)
            .min()?;
        let given = i64::try_from(valid.count()).unwrap_or(i64::MAX);
        let needed = action.approvers;
        (given < needed).then_some(Self {
            given,
            needed,
            expires_at,
        })
    }
}
