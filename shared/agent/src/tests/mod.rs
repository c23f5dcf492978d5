//! Tests of every transition, without a table.

mod actions;
mod alerts;
mod amounts;
mod approvals;
mod call_results;
mod effects;
mod journal;
mod open_outcomes;
mod open_work;
mod outcomes;
mod people;
mod policy;
mod preconditions;
mod progress;
mod sessions;
mod table;
mod verification;

use std::sync::LazyLock;

use model::{
    base::{Code, Error, Fault, Id, Timestamp, input, span},
    people::{Role, User},
};
use serde_json::json;

use crate::{action::*, alert::Alert, check::*, connection::*, journal::*, policy::*, session::*};

use self::transition::*;

/// All functions of transitions, also those that only `decide` calls.
mod transition {
    pub(super) use crate::transition::{
        alert_end::*, analysis::*, approval::*, checks::*, claim::*, ending::*, holder::*,
        journal::*, manual::*, precondition::*, progress::*, queue::*, schedule::*, settle::*,
        status::*, step::*, verdict::*,
    };
}

/// The instant that many milliseconds after the beginning of the test.
fn at(millis: i64) -> Timestamp {
    Timestamp::from_millis(millis)
}

fn alert() -> Alert {
    serde_json::from_value(json!({
        "id": 9, "organizationId": 1, "source": "billing-monitor", "externalId": "x-9",
        "signalType": "usage_batch_stuck", "severity": "error", "status": "open",
        "title": "Usage batch ub_1001 is stuck", "targetSystem": "billing",
        "entities": [], "labels": {}, "lifecycle": [], "occurredAt": at(0),
        "lastOccurredAt": at(0), "count": 1, "createdAt": at(0), "updatedAt": at(0),
    }))
    .unwrap()
}

fn proposed(is_automated: bool) -> ProposedAction {
    let content = json!({
        "actionType": "reprocess_usage_batch", "description": "Have it processed again.",
        "expectedOutcome": "It is processed.", "risk": "low", "minutesSaved": 25,
        "targetSystem": "billing", "records": ["usage_batch/ub_1001"], "reads": [], "require": [],
        "steps": [step("POST")],
    });
    ProposedAction {
        is_automated,
        ..ProposedAction::manual("reprocess".into(), serde_json::from_value(content).unwrap())
    }
}

const COOLDOWN: i64 = AgentAction::COOLDOWN;

/// The time for which reads of the connection may lag behind.
const SETTLES: i64 = 15 * span::MINUTE;

fn step(method: &str) -> ActionStep {
    ActionStep {
        order: 1,
        description: "Have it processed again.".into(),
        call: Some(call(method)),
        reconcile: None,
    }
}

fn call(method: &str) -> ApiCall {
    ApiCall {
        method: method.into(),
        path: "/usage-batches/ub_1001/reprocess".into(),
        expect: vec![200, 202],
        already_done: vec![AlreadyDone {
            status: 409,
            code: Some("already_done".into()),
        }],
        ..ApiCall::default()
    }
}

fn excerpt(status: u16, body: serde_json::Value) -> Excerpt {
    Excerpt { status, body }
}

/// Two automated actions on two records, and a manual one.
fn proposal() -> Proposal {
    let mut actions = [proposed(true), proposed(true), proposed(false)];
    for (action, (key, entity)) in actions.iter_mut().zip([
        ("first", "ub_1001"),
        ("second", "ub_1002"),
        ("review", "ub_1001"),
    ]) {
        action.key = key.into();
        action.content.records = vec![format!("usage_batch/{entity}")];
    }
    let analysis = json!({
        "rootCause": "It is stuck.", "impact": "Usage is missing.", "affectedSystems": ["billing"],
        "entityLifecycleContext": "", "isAnomalyPattern": false, "patternDescription": "",
        "confidence": 0.5, "confidenceSays": "0.50; no run of this playbook yet", "evidence": [],
        "resolvedWhen": [], "notApplicable": [], "passedOver": [],
    });
    Proposal {
        analysis: serde_json::from_value(analysis).unwrap(),
        excerpts: Vec::new(),
        reads: Vec::new(),
        actions: actions.into(),
        resolved_when: None,
    }
}

/// Session 7, opened at 0.
fn opened() -> AgentSession {
    let id = Id::new(7).unwrap();
    let by = Id::new(3).unwrap();
    transition::opened(id, &alert(), by, at(0))
}

/// Session 7 with a proposal made at 0: two automated actions and a manual one.
fn awaiting() -> AgentSession {
    let mut session = opened();
    transition::begin_analysis(&mut session, None, at(0)).unwrap();
    transition::finish_analysis(&mut session, proposal(), at(0)).unwrap();
    session
}

const FIRST: &str = "s7-p1-a1";
const SECOND: &str = "s7-p1-a2";
const MANUAL: &str = "s7-p1-a3";

/// An action approved at 0.
fn queued() -> AgentAction {
    let session = awaiting();
    let action = &session.plan.proposed_actions[0];
    transition::queued(&session, action, vec![approval(4, action)], None, at(0))
}

type Actions = ApprovedActions<Box<AgentAction>>;

/// Session 7, of whose actions these were approved at 0.
fn approved(list: &[&str]) -> AgentSession {
    let mut session = awaiting();
    let mut no_actions = Actions::none();
    let list = ids(list);
    let approved =
        transition::approve(&mut session, &mut no_actions, &of(&list), &anybody(), at(0));
    approved.unwrap();
    session
}

fn claim_in(action: &mut AgentAction, context: &ClaimContext, now: i64) -> Claim {
    transition::claim(action, context, actions::LEASE, at(now))
}

/// A manager's approval of an action at 0.
fn approval(user: i64, action: &ProposedAction) -> ActionApproval {
    ActionApproval {
        user_id: Id::new(user).unwrap(),
        role: Some(Role::Manager),
        at: at(0),
        digest: Some(action.digest(&awaiting())),
        note: None,
        round: 0,
        fresh_until: None,
    }
}

/// A policy with what was sent.
fn policy(sent: &serde_json::Value) -> AgentPolicy {
    let mut policy = AgentPolicy::none(Id::new(1).unwrap());
    set(&mut policy, sent);
    policy
}

fn set(policy: &mut AgentPolicy, sent: &serde_json::Value) {
    let sent: PolicySet = input::parse(sent.to_string().as_bytes()).unwrap();
    sent.apply(policy);
}

/// A manager of an organization without a policy.
fn anybody() -> Approver<'static> {
    static POLICY: LazyLock<AgentPolicy> = LazyLock::new(|| AgentPolicy::none(Id::new(1).unwrap()));
    static OTHERS: LazyLock<Approvers> = LazyLock::new(everybody);
    static USER: LazyLock<User> = LazyLock::new(|| user(4));
    Approver {
        user: &USER,
        policy: &POLICY,
        others: &OTHERS,
        provider_set_by: None,
    }
}

/// A manager.
fn user(id: i64) -> User {
    serde_json::from_value(json!({
        "id": id, "organizationId": 1, "username": "max", "fullName": "Max", "role": "manager",
        "keptSession": null, "createdAt": at(0), "updatedAt": at(0),
    }))
    .unwrap()
}

/// Users 1 to 9 are managers.
fn everybody() -> Approvers {
    let users: Vec<User> = (1..10).map(user).collect();
    Approvers::of(&users)
}

/// An approval by user 4.
fn of(ids: &[String]) -> Approving<'_> {
    Approving::of(ids, Id::new(4).unwrap())
}

/// An approval by user 4 of actions to run again.
fn again(ids: &[String]) -> Approving<'_> {
    Approving {
        again: true,
        trace: Some("second"),
        ..of(ids)
    }
}

/// Has user 4 approve. Returns true for queued actions, false for a list that stands, or the code
/// of a conflict.
fn approve_in(
    session: &mut AgentSession,
    actions: &mut Actions,
    approving: &Approving<'_>,
    now: i64,
) -> Result<bool, Code> {
    match transition::approve(session, actions, approving, &anybody(), at(now)) {
        Ok(Approved::Queued { .. }) => Ok(true),
        Ok(Approved::Standing) => Ok(false),
        Ok(Approved::Pending) => panic!("more approvers are needed"),
        Err(error) => Err(code(&error)),
    }
}

fn ids(ids: &[&str]) -> Vec<String> {
    ids.iter()
        .map(|id| (*id).to_owned())
        .collect()
}

/// The stable code of a conflict.
fn code(error: &Error) -> Code {
    match error {
        Error::Conflict { code, .. } => *code,
        other => panic!("{other:?}"),
    }
}

/// The faults of an invalid request.
fn faults(error: Error) -> Vec<Fault> {
    match error {
        Error::Invalid(faults) => faults,
        other => panic!("{other:?}"),
    }
}

const STATUSES: &[AgentSessionStatus] = AgentSessionStatus::ALL;
const STATES: &[ActionState] = ActionState::ALL;
