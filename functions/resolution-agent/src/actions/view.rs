//! Previews as the API answers them.

use std::collections::BTreeSet;

use serde::Serialize;
use serde_json::Value;
use shared::{
    Error,
    auth::{Identity, need, need::Need},
    model::{
        ActionApproval, ActionStep, ActionType, AgentSession, AgentSessionId, ApiCall, Connection,
        FactCondition, HeldEffect, JsonObject, Judgement, Money, MoneyEffect, MoneySum,
        ProposedAction, Sight, TargetEffect, Timestamp,
    },
    problem::Cause,
    store::Previewed,
};
use utoipa::ToSchema;

use super::look::Looks;
use crate::sessions::view::TargetResponse;

/// What can be said of actions before anybody approves them.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentActionsPreviewed {
    /// As of when.
    at: Timestamp,
    actions: Vec<ActionPreview>,
    /// Pairs of these actions of which one can be executed.
    exclusive: Vec<[String; 2]>,
    /// Of all these actions together, as if none excluded another.
    sums: PreviewSums,
}

/// What is known of an action before it is approved.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ActionPreview {
    action_id: String,
    /// Whether the agent can execute it; otherwise a person has to.
    is_automated: bool,
    /// What would be sent, in this order. Secrets and idempotency keys are not shown.
    requests: Vec<PreviewRequest>,
    /// Effects that it has, and those that exclude it where another action holds one.
    guards: Vec<PreviewGuard>,
    /// What has to be so when it is executed, as of now.
    preconditions: Vec<PreviewCondition>,
    /// What else would keep it from being executed now, in words.
    obstacles: Vec<String>,
    /// The money that it moves; null where it moves none or the amount is not known.
    money: Option<Money>,
    /// Which way it moves that.
    money_effect: Option<MoneyEffect>,
    /// The records that it touches.
    records: Vec<PreviewRecord>,
    policy: PreviewPolicy,
    /// How it is undone and until when; null where nothing is known of that.
    undo: Option<String>,
}

/// A request that would be sent.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PreviewRequest {
    /// The step, from 1.
    order: i64,
    description: String,
    method: String,
    /// Where it goes; only the path where there is no connection.
    url: String,
    body: Option<JsonObject>,
    /// What the target system says that it would do; null where the step has no dry run.
    dry_run: Option<PreviewDryRun>,
}

/// What a target system says that a request would do.
#[derive(Debug, Serialize, ToSchema)]
pub struct PreviewDryRun {
    /// Null where there was no answer.
    response: Option<TargetResponse>,
    /// Why there was none.
    problem: Option<String>,
}

/// An effect on a record of a target system, which one action has at a time.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PreviewGuard {
    target_system: String,
    action_type: ActionType,
    entity: String,
    /// Null where nobody else holds it.
    held_by: Option<EffectHolder>,
}

/// Whose an effect is.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct EffectHolder {
    session_id: AgentSessionId,
    /// `effect_in_progress`, `effect_unknown` or `done_recently`.
    code: &'static str,
    detail: String,
}

/// What has to be so.
#[derive(Debug, Serialize, ToSchema)]
pub struct PreviewCondition {
    #[schema(examples("invoice.state is draft or open"))]
    says: String,
    /// Null where it is not known.
    holds: Option<bool>,
    /// The facts that it speaks of, as they were found; null for one that is not known.
    found: JsonObject,
    /// Why it is not known.
    problem: Option<String>,
}

/// A record of a target system.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PreviewRecord {
    target_system: String,
    id: String,
    /// As the alert names it; null for one that it does not name.
    #[serde(rename = "type")]
    kind: Option<String>,
}

/// What the organization's policy says of an action.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PreviewPolicy {
    /// Nobody can approve it.
    denied: bool,
    approvers_needed: usize,
    approvals_given: usize,
    /// What it asks for, in words.
    asks: String,
    /// Why it is above what a day takes, whatever else is executed on it.
    above_cap: Option<String>,
    /// Whether the caller's approval would be taken now, and count.
    may_approve: bool,
    /// Why it would not.
    why_not: Option<String>,
}

/// What actions come to together.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PreviewSums {
    /// Of automated actions, by effect and currency, as far as amounts are known.
    money: Vec<MoneySum>,
    /// Automated actions that move money of which the amount is not known.
    unknown_amounts: usize,
    /// Each record once.
    records: usize,
    /// Each customer once.
    customers: usize,
    /// Requests that would be sent.
    requests: usize,
}

/// The type of entity that is a customer.
const CUSTOMER: &str = "customer";

/// What executing needs.
type MayExecute = need::WithAgent<need::ExecuteAgentRemediation>;

/// What a refusal says to people.
pub(super) fn says(refused: Error) -> String {
    Cause::from(refused).detail()
}

impl AgentActionsPreviewed {
    /// Of these actions, by who calls.
    pub fn of(
        found: &Previewed,
        actions: &[&ProposedAction],
        looks: &Looks,
        caller: &Identity,
    ) -> Self {
        let previews = actions
            .iter()
            .map(|action| ActionPreview::of(action, found, looks, caller));
        let previews: Vec<ActionPreview> = previews.collect();
        Self {
            at: found.at,
            exclusive: AgentSession::exclusive_pairs(actions),
            sums: PreviewSums::of(&previews, actions),
            actions: previews,
        }
    }
}

impl ActionPreview {
    fn of(action: &ProposedAction, found: &Previewed, looks: &Looks, caller: &Identity) -> Self {
        let connection = Connection::named(&found.connections, &action.target_system);
        let sight = looks.sight(action);
        let conditions = action.require.iter();
        let conditions = conditions.map(|condition| PreviewCondition::of(condition, &sight));
        let requests = action.steps.iter();
        let requests =
            requests.filter_map(|step| PreviewRequest::of(step, action, connection, looks));
        Self {
            action_id: action.id.clone(),
            is_automated: action.is_automated,
            requests: requests.collect(),
            guards: guards(action, found),
            preconditions: conditions.collect(),
            obstacles: action.obstacles(connection, found.is_paused),
            money: action.money.clone(),
            money_effect: action.money_effect,
            records: records(action, found),
            policy: PreviewPolicy::of(action, found, caller),
            undo: action.undo.clone(),
        }
    }
}

impl PreviewCondition {
    /// As the worker would judge it.
    fn of(condition: &FactCondition, sight: &Sight) -> Self {
        let (holds, problem) = match sight.judge([condition]) {
            Judgement::Holds => (Some(true), None),
            Judgement::Fails(_) => (Some(false), None),
            Judgement::NotKnown(silence) => (None, Some(silence.problem)),
        };
        let found = condition.facts().map(|name| {
            let value = sight.facts().get(name).cloned();
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
    fn of(
        step: &ActionStep,
        action: &ProposedAction,
        connection: Option<&Connection>,
        looks: &Looks,
    ) -> Option<Self> {
        let ApiCall {
            method, path, body, ..
        } = step.call.as_ref()?;
        let base = connection.map(|connection| connection.base_url.trim_end_matches('/'));
        let said = looks.dry_run(&action.id, step.order);
        Some(Self {
            order: step.order,
            description: step.description.clone(),
            method: method.clone(),
            url: format!("{}{path}", base.unwrap_or_default()),
            body: body.as_ref().map(|body| body.0.clone()),
            dry_run: said.map(|said| PreviewDryRun {
                response: said.as_ref().ok().cloned().map(Into::into),
                problem: said.as_ref().err().cloned(),
            }),
        })
    }
}

/// Its own effects, each with who holds it, and those of others that are in its way.
fn guards(action: &ProposedAction, found: &Previewed) -> Vec<PreviewGuard> {
    let held: Vec<&HeldEffect> = found.held_against(action).collect();
    let own: Vec<TargetEffect> = action.effects().collect();
    let rivals = held.iter().map(|held| &held.effect);
    let rivals = rivals.filter(|effect| !own.contains(effect));
    let all = own.iter().chain(rivals).map(|effect| {
        let holder = held.iter().find(|held| held.effect == *effect);
        PreviewGuard {
            target_system: effect.target_system.clone(),
            action_type: effect.action_type,
            entity: effect.entity.clone(),
            held_by: holder.map(|held| EffectHolder {
                session_id: held.by,
                code: held.hold.into(),
                detail: held.says(),
            }),
        }
    });
    all.collect()
}

fn records(action: &ProposedAction, found: &Previewed) -> Vec<PreviewRecord> {
    let entities = found.signal.iter().flat_map(|signal| &signal.entities);
    let of_customers = matches!(
        action.action_type,
        ActionType::SyncCustomer | ActionType::NotifyCustomer
    );
    let records = action.target_entities.iter().map(|id| {
        let mut named = entities.clone();
        let kind = named.find(|entity| entity.id == *id);
        let kind = kind.map(|entity| entity.kind.clone());
        PreviewRecord {
            target_system: action.target_system.clone(),
            id: id.clone(),
            kind: kind.or_else(|| of_customers.then(|| CUSTOMER.to_owned())),
        }
    });
    records.collect()
}

impl PreviewPolicy {
    fn of(action: &ProposedAction, found: &Previewed, caller: &Identity) -> Self {
        let approval = ActionApproval {
            user_id: caller.user.id,
            role: Some(caller.user.role),
            at: found.at,
            digest: None,
            note: None,
            round: 0,
        };
        let session = &found.whole.session;
        let verdict = session.policy_verdict(action, &found.policy, &approval, found.at);
        let newest = found.signal.as_ref();
        let newest = newest.and_then(|signal| signal.agent_session_id);
        let open = session.check_open(&found.whole.actions, action, newest, found.at);
        let refused = open.and_then(|()| MayExecute::check(caller)).err();
        let why_not = if !action.is_automated {
            Some("It is manual, and needs no approval.".to_owned())
        } else if let Some(refused) = refused {
            Some(says(refused))
        } else if verdict.denied {
            Some("The policy lets nobody execute it.".to_owned())
        } else if !verdict.admits {
            Some(format!("The policy asks for {}.", verdict.asks))
        } else {
            let above = verdict.above_cap.as_ref();
            above.map(|why| format!("It cannot be executed: {why}."))
        };
        Self {
            denied: verdict.denied,
            approvers_needed: verdict.needed,
            approvals_given: verdict.given,
            asks: verdict.asks,
            above_cap: verdict.above_cap,
            may_approve: why_not.is_none(),
            why_not,
        }
    }
}

impl PreviewSums {
    fn of(previews: &[ActionPreview], actions: &[&ProposedAction]) -> Self {
        let automated = || actions.iter().filter(|action| action.is_automated);
        let unknown =
            automated().filter(|action| action.money.is_none() && action.action_type.moves_money());
        let records = || previews.iter().flat_map(|preview| &preview.records);
        let distinct: BTreeSet<_> = records()
            .map(|record| (&record.target_system, &record.id))
            .collect();
        let customers = records().filter(|record| record.kind.as_deref() == Some(CUSTOMER));
        let customers: BTreeSet<_> = customers.map(|record| &record.id).collect();
        Self {
            money: MoneySum::of(actions),
            unknown_amounts: unknown.count(),
            records: distinct.len(),
            customers: customers.len(),
            requests: previews.iter().map(|preview| preview.requests.len()).sum(),
        }
    }
}
