use std::collections::BTreeSet;

use serde_json::Value;
use shared::auth::need::Need;
use shared::endpoint::*;

use super::observe::{Observations, says};
use crate::sessions::row::MayExecute;

/// A preview of actions before they are approved.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentActionsPreviewed {
    at: Timestamp,
    actions: Vec<ActionPreview>,
    /// Pairs of these actions of which only one can be executed.
    exclusive: Vec<[String; 2]>,
    /// Sums of all these actions, as if none excluded another.
    sums: PreviewSums,
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ActionPreview {
    action_id: String,
    /// True if the agent can execute it; otherwise a user does it by hand.
    is_automated: bool,
    /// Requests that would be sent, in this order, without secrets and idempotency keys.
    requests: Vec<PreviewRequest>,
    /// Effects of the action, and effects of other actions that exclude it.
    guards: Vec<PreviewGuard>,
    /// Preconditions of the execution, with their present state.
    preconditions: Vec<PreviewCondition>,
    /// Further reasons why it could not be executed now.
    obstacles: Vec<String>,
    /// Money that it moves; null if it moves none.
    money: Option<MoneyMoved>,
    /// Records of the target system that it affects.
    records: Vec<PreviewRecord>,
    policy: PreviewPolicy,
    /// Way to undo it; null if none is known.
    reversible: Option<Reversible>,
}

/// A request that would be sent.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PreviewRequest {
    /// Number of the step, from 1.
    order: i64,
    description: String,
    method: String,
    /// URL; only the path if there is no connection.
    url: String,
    body: Option<JsonObject>,
}

/// A record of a target system that one action holds at a time.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PreviewGuard {
    /// Type and id of the record.
    #[schema(examples("invoice/inv_1"))]
    record: String,
    /// Session that holds it; null if no other action does.
    held_by: Option<EffectHolder>,
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct EffectHolder {
    session_id: AgentSessionId,
    /// `effect_in_progress`, `effect_unknown` or `done_recently`.
    code: &'static str,
    detail: String,
}

/// A precondition and its present state.
#[derive(Debug, Serialize, ToSchema)]
pub struct PreviewCondition {
    /// Condition in words.
    #[schema(examples("invoice.state is `draft` or `open`"))]
    says: String,
    /// True if it holds, false if not; null if that is not known.
    holds: Option<bool>,
    /// Facts of the condition by name; null for a fact that is not known.
    found: JsonObject,
    /// Reason why it is not known.
    problem: Option<String>,
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PreviewRecord {
    target_system: String,
    id: String,
    #[serde(rename = "type")]
    kind: String,
}

/// The organization's policy, applied to an action.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PreviewPolicy {
    /// True if no user can approve it.
    denied: bool,
    approvers_needed: usize,
    approvals_given: usize,
    /// Required approvers in words.
    asks: String,
    /// Daily cap that the action alone exceeds, in words; null if there is none.
    above_cap: Option<String>,
    /// True if the caller's approval would be accepted now and count.
    may_approve: bool,
    /// Reason why it would not be accepted or count.
    why_not: Option<String>,
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PreviewSums {
    /// Money of automated actions by direction and currency, as far as amounts are known.
    money: Vec<MoneySum>,
    /// Number of automated actions that move an unknown amount of money.
    unknown_amounts: usize,
    /// Number of distinct records.
    records: usize,
    /// Number of distinct customers of automated actions, as records, reads and the alert name them;
    /// null if one of these actions names none.
    customers: Option<usize>,
    /// Number of requests that automated actions would send.
    requests: usize,
}

const CUSTOMER: &str = "customer";

impl AgentActionsPreviewed {
    pub fn of(
        found: &Previewed,
        actions: &[&ProposedAction],
        observations: &Observations,
        caller: &Identity,
    ) -> Self {
        let preview = |action: &&_| ActionPreview::of(action, found, observations, caller);
        let previews: Vec<ActionPreview> = actions.iter().map(preview).collect();
        Self {
            at: found.at,
            exclusive: found.whole.session.exclusive_pairs(actions),
            sums: PreviewSums::of(&previews, actions, found),
            actions: previews,
        }
    }
}

impl ActionPreview {
    fn of(
        action: &ProposedAction,
        found: &Previewed,
        observations: &Observations,
        caller: &Identity,
    ) -> Self {
        let content = &action.content;
        let connection = Connection::named(&found.connections, &content.target_system);
        let observation = observations.observation(action);
        let condition = |condition| PreviewCondition::of(condition, &observation);
        let request = |step| PreviewRequest::of(step, connection);
        Self {
            action_id: action.id.clone(),
            is_automated: action.is_automated,
            requests: content.steps.iter().filter_map(request).collect(),
            guards: guards(action, found),
            preconditions: content.require.iter().map(condition).collect(),
            obstacles: action.obstacles(connection, found.is_paused),
            money: content.money.clone(),
            records: records(action),
            policy: PreviewPolicy::of(action, found, caller),
            reversible: content.reversible.clone(),
        }
    }
}

impl PreviewCondition {
    /// Judges the condition as the worker would.
    fn of(condition: &FactCondition, observation: &Observation) -> Self {
        let (holds, problem) = match observation.judge([condition]) {
            Judgement::Holds => (Some(true), None),
            Judgement::Fails(_) => (Some(false), None),
            Judgement::NotKnown(read_error) => (None, Some(read_error.problem)),
        };
        let found = condition.facts().map(|name| {
            let value = observation.facts().get(name).cloned();
            (name.to_owned(), value.unwrap_or(Value::Null))
        });
        Self {
            says: condition.says(),
            holds,
            found: found.collect(),
            problem,
        }
    }
}

impl PreviewRequest {
    fn of(step: &ActionStep, connection: Option<&Connection>) -> Option<Self> {
        let call = step.call.as_ref()?;
        let base = connection.map(|connection| connection.base_url.trim_end_matches('/'));
        Some(Self {
            order: step.order,
            description: step.description.clone(),
            method: call.method.clone(),
            url: format!("{}{}", base.unwrap_or_default(), call.path),
            body: call.body.as_ref().map(|body| body.0.clone()),
        })
    }
}

/// Returns the action's records with their holders.
fn guards(action: &ProposedAction, found: &Previewed) -> Vec<PreviewGuard> {
    let guard = |record: &String| {
        let mut held = found.held_against(action);
        let holder = held.find(|held| held.record == *record);
        PreviewGuard {
            record: record.clone(),
            held_by: holder.map(|held| EffectHolder {
                session_id: held.by,
                code: held.hold.into(),
                detail: held.says(),
            }),
        }
    };
    action.content.records.iter().map(guard).collect()
}

fn records(action: &ProposedAction) -> Vec<PreviewRecord> {
    let record = |(kind, id): (&str, &str)| PreviewRecord {
        target_system: action.content.target_system.clone(),
        id: id.to_owned(),
        kind: kind.to_owned(),
    };
    action.content.entity().into_iter().map(record).collect()
}

/// Returns the customers of an action: its records, otherwise those from the session's reads,
/// otherwise those of the alert. Empty if none is known.
fn customers(action: &ProposedAction, found: &Previewed) -> BTreeSet<String> {
    let records = records(action).into_iter();
    let records = records.filter(|record| record.kind == CUSTOMER);
    let own = action.content.customer.iter().cloned();
    let reads = found.whole.session.analysis.reads.iter();
    let facts = reads.flat_map(|read| read.facts.0.iter());
    let facts = facts.filter(|(name, _)| name.ends_with(".customer"));
    let facts = facts.filter_map(|(_, value)| value.as_str().map(str::to_owned));
    let entities = found.alert.iter().flat_map(|alert| &alert.entities);
    let entities = entities.filter(|entity| *entity.r#type == *CUSTOMER);
    let known: [BTreeSet<String>; 3] = [
        own.chain(records.map(|record| record.id)).collect(),
        facts.collect(),
        entities.map(|entity| entity.id.to_string()).collect(),
    ];
    let mut known = known.into_iter();
    known.find(|ids| !ids.is_empty()).unwrap_or_default()
}

impl PreviewPolicy {
    fn of(action: &ProposedAction, found: &Previewed, caller: &Identity) -> Self {
        let (session, context) = (&found.whole.session, &found.context);
        let requirement = context.policy.demands(action);
        let charge = context.policy.caps.charge(action.content.subject());
        // A caller without the permission can never approve, whatever the policy says.
        let refused = MayExecute::check(caller)
            .and_then(|()| session.may_approve(action, &caller.user, context, found.at));
        let why_not = refused.err().map(says);
        Self {
            denied: requirement.denies(),
            approvers_needed: requirement.approvers(),
            approvals_given: session.approvals_given(action, context, found.at),
            asks: requirement.says(),
            above_cap: charge.err(),
            may_approve: why_not.is_none(),
            why_not,
        }
    }
}

impl PreviewSums {
    fn of(previews: &[ActionPreview], actions: &[&ProposedAction], found: &Previewed) -> Self {
        let automated = || actions.iter().filter(|action| action.is_automated);
        let moved = automated().filter_map(|action| action.content.money.as_ref());
        let unknown = moved.filter(|moved| moved.amount.is_none());
        let records = || previews.iter().flat_map(|preview| &preview.records);
        let distinct = records().map(|record| (&record.target_system, &record.id));
        let distinct: BTreeSet<_> = distinct.collect();
        let customers: Vec<_> = automated().map(|action| customers(action, found)).collect();
        let are_known = customers.iter().all(|ids| !ids.is_empty());
        let customers: BTreeSet<_> = customers.iter().flatten().collect();
        let sent = previews.iter().filter(|preview| preview.is_automated);
        Self {
            money: MoneySum::of(actions),
            unknown_amounts: unknown.count(),
            records: distinct.len(),
            customers: are_known.then_some(customers.len()),
            requests: sent.map(|preview| preview.requests.len()).sum(),
        }
    }
}
