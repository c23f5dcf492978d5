use std::collections::BTreeSet;

use serde_json::Value;
use shared::{
    agent::{
        action::{ActionStep, HeldRecord, MoneyMoved, Reversible},
        check::{FactCondition, Judgement, Observation, read_of},
        connection::{ApiCall, Connection},
        policy::Requirement,
        session::{MoneySum, ProposedAction},
    },
    auth::{Identity, need::Need},
    endpoint::*,
    model::base::{AgentSessionId, JsonObject},
    store::agent::Previewed,
};

use crate::sessions::row::MayExecute;

use super::observe::{Observations, says};

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

view! {
    pub struct ActionPreview of action(
        action: &ProposedAction,
        previewed: &Previewed,
        observation: &Observation,
        caller: &Identity,
    ) {
        action_id: String = action.id.clone(),
        /// True if the agent can execute it; otherwise a user does it by hand.
        is_automated: bool,
        /// Requests that would be sent, in this order, without secrets and idempotency keys.
        requests: Vec<PreviewRequest> = requests(action, previewed),
        /// Effects of the action, and effects of other actions that exclude it.
        guards: Vec<PreviewGuard> = guards(action, previewed),
        /// Preconditions of the execution, with their present state.
        preconditions: Vec<PreviewCondition> =
            action.content.require.iter().map(|required| condition(required, observation)).collect(),
        /// Further reasons why it could not be executed now.
        obstacles: Vec<String> = action.obstacles(connection(action, previewed), previewed.is_paused),
        /// Money that it moves; null if it moves none.
        money: Option<MoneyMoved> = action.content.money.clone(),
        /// Records of the target system that it affects.
        records: Vec<PreviewRecord> = records(action),
        policy: PreviewPolicy = policy(action, previewed, caller),
        /// Way to undo it; null if none is known.
        reversible: Option<Reversible> = action.content.reversible.clone(),
    }
}

view! {
    /// A request that would be sent.
    pub struct PreviewRequest of call(step: &ActionStep, call: &ApiCall, base: &str) {
        /// Number of the step, from 1.
        order: i64 = step.order,
        description: String = step.description.clone(),
        method: String = call.method.clone(),
        /// URL; only the path if there is no connection.
        url: String = format!("{base}{}", call.path),
        body: Option<JsonObject> = call.body.as_ref().map(|body| body.0.clone()),
    }
}

/// A record of a target system that one action holds at a time.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PreviewGuard {
    /// Type and id of the record.
    record: String,
    /// Session that holds it; null if no other action does.
    held_by: Option<EffectHolder>,
}

view! {
    pub struct EffectHolder of held(held: &HeldRecord) {
        session_id: AgentSessionId = held.by,
        /// `effect_in_progress`, `effect_unknown` or `done_recently`.
        code: &'static str = held.hold.into(),
        detail: String = held.says(),
    }
}

/// A precondition and its present state.
#[derive(Debug, Serialize, ToSchema)]
pub struct PreviewCondition {
    /// Condition in a sentence.
    says: String,
    /// Condition on facts.
    condition: String,
    /// True if it holds, false if not; null if that is not known.
    holds: Option<bool>,
    /// Facts of the condition by name; null for a fact that is not known.
    found: JsonObject,
    /// Reason why it is not known, or that the record is gone.
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

view! {
    /// The organization's policy, applied to an action.
    pub struct PreviewPolicy of requirement(
        requirement: &Requirement<'_>,
        action: &ProposedAction,
        previewed: &Previewed,
        why_not: Option<String>,
    ) {
        /// True if no user can approve it.
        denied: bool = requirement.denies(),
        approvers_needed: usize = requirement.approvers(),
        approvals_given: usize = previewed.whole.session.approvals_given(action, &previewed.context, previewed.at),
        /// Required approvers in words.
        asks: String = requirement.says(),
        /// Daily cap that the action alone exceeds, in words; null if there is none.
        above_cap: Option<String> = previewed.context.policy.caps.charge(&action.content).err(),
        /// True if the caller's approval would be accepted now and count.
        may_approve: bool = why_not.is_none(),
        /// Reason why it would not be accepted or count.
        why_not: Option<String> = why_not,
    }
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
    /// Number of distinct customers of automated actions, as records, reads and the alert name
    /// them; null if one of these actions names none.
    customers: Option<usize>,
    /// Number of requests that automated actions would send.
    requests: usize,
}

const CUSTOMER: &str = "customer";

impl AgentActionsPreviewed {
    pub fn of(
        previewed: &Previewed,
        actions: &[&ProposedAction],
        observations: &Observations,
        caller: &Identity,
    ) -> Self {
        let preview = |action: &&ProposedAction| {
            ActionPreview::of(action, previewed, &observations.observation(action), caller)
        };
        let previews: Vec<ActionPreview> = actions.iter().map(preview).collect();
        Self {
            at: previewed.at,
            exclusive: previewed
                .whole
                .session
                .plan
                .exclusive_pairs(actions),
            sums: PreviewSums::of(&previews, actions, previewed),
            actions: previews,
        }
    }
}

/// Judges the condition as the worker would.
fn condition(condition: &FactCondition, observation: &Observation) -> PreviewCondition {
    let (holds, problem) = match observation.judge([condition]) {
        Judgement::Holds => (Some(true), None),
        Judgement::Fails(_) => (Some(false), gone(condition, observation)),
        Judgement::NotKnown(read_error) => (None, Some(read_error.problem)),
    };
    let facts = condition.facts().map(|name| {
        let value = observation.facts.get(name).cloned();
        (name.to_owned(), value.unwrap_or(Value::Null))
    });
    PreviewCondition {
        says: condition.sentence(),
        condition: condition.says(),
        holds,
        found: facts.collect(),
        problem,
    }
}

/// Returns that the record of a condition does not exist, if its system says so.
fn gone(condition: &FactCondition, observation: &Observation) -> Option<String> {
    let mut reads = condition.facts().map(read_of);
    let read = reads.find(|read| observation.is_gone(read))?;
    Some(format!(
        "The record of {read} is gone: its system does not have it."
    ))
}

fn connection<'a>(action: &ProposedAction, previewed: &'a Previewed) -> Option<&'a Connection> {
    Connection::named(&previewed.connections, &action.content.target_system)
}

fn requests(action: &ProposedAction, previewed: &Previewed) -> Vec<PreviewRequest> {
    let connection = connection(action, previewed);
    let base = connection.map(|connection| {
        connection
            .base_url
            .trim_end_matches('/')
    });
    let request = |step: &ActionStep| {
        let call = step.call.as_ref()?;
        Some(PreviewRequest::of(step, call, base.unwrap_or_default()))
    };
    action
        .content
        .steps
        .iter()
        .filter_map(request)
        .collect()
}

/// Returns the action's records with their holders.
fn guards(action: &ProposedAction, previewed: &Previewed) -> Vec<PreviewGuard> {
    let guard = |record: &String| {
        let mut held = previewed.held_against(action);
        let holder = held.find(|held| held.record == *record);
        PreviewGuard {
            record: record.clone(),
            held_by: holder.map(EffectHolder::of),
        }
    };
    action
        .content
        .records
        .iter()
        .map(guard)
        .collect()
}

fn records(action: &ProposedAction) -> Vec<PreviewRecord> {
    let record = |(kind, id): (&str, &str)| PreviewRecord {
        target_system: action.content.target_system.clone(),
        id: id.to_owned(),
        kind: kind.to_owned(),
    };
    action
        .content
        .entity()
        .into_iter()
        .map(record)
        .collect()
}

/// Returns the customers of an action: its records, otherwise those from the session's reads,
/// otherwise those of the alert. Empty if none is known.
fn customers(action: &ProposedAction, previewed: &Previewed) -> BTreeSet<String> {
    let records = records(action).into_iter();
    let records = records.filter(|record| record.kind == CUSTOMER);
    let own = action.content.customer.iter().cloned();
    let reads = previewed
        .whole
        .session
        .analysis
        .reads
        .iter();
    let facts = reads.flat_map(|read| read.facts.0.iter());
    let facts = facts.filter(|(name, _)| name.ends_with(".customer"));
    let facts = facts.filter_map(|(_, value)| value.as_str().map(str::to_owned));
    let entities = previewed
        .alert
        .iter()
        .flat_map(|alert| &alert.entities);
    let entities = entities.filter(|entity| *entity.r#type == *CUSTOMER);
    let candidates: [BTreeSet<String>; 3] = [
        own.chain(records.map(|record| record.id))
            .collect(),
        facts.collect(),
        entities
            .map(|entity| entity.id.to_string())
            .collect(),
    ];
    let mut candidates = candidates.into_iter();
    candidates
        .find(|ids| !ids.is_empty())
        .unwrap_or_default()
}

fn policy(action: &ProposedAction, previewed: &Previewed, caller: &Identity) -> PreviewPolicy {
    let session = &previewed.whole.session;
    let context = &previewed.context;
    // A caller without the permission can never approve, whatever the policy says.
    let refused = MayExecute::check(caller)
        .and_then(|()| session.may_approve(action, &caller.user, context, previewed.at));
    let why_not = refused.err().map(says);
    PreviewPolicy::of(&context.policy.demands(action), action, previewed, why_not)
}

impl PreviewSums {
    fn of(previews: &[ActionPreview], actions: &[&ProposedAction], previewed: &Previewed) -> Self {
        let automated = || {
            actions
                .iter()
                .filter(|action| action.is_automated)
        };
        let moved = automated().filter_map(|action| action.content.money.as_ref());
        let unknown = moved.filter(|moved| moved.amount.is_none());
        let records = previews
            .iter()
            .flat_map(|preview| &preview.records);
        let distinct = records.map(|record| (&record.target_system, &record.id));
        let distinct: BTreeSet<_> = distinct.collect();
        let customers: Vec<_> = automated()
            .map(|action| customers(action, previewed))
            .collect();
        let are_known = customers
            .iter()
            .all(|ids| !ids.is_empty());
        let customers: BTreeSet<_> = customers.iter().flatten().collect();
        let sent = previews
            .iter()
            .filter(|preview| preview.is_automated);
        Self {
            money: MoneySum::of(actions),
            unknown_amounts: unknown.count(),
            records: distinct.len(),
            customers: are_known.then_some(customers.len()),
            requests: sent
                .map(|preview| preview.requests.len())
                .sum(),
        }
    }
}
