//! Approvals before a worker: an action is executed as it was approved, by as many as the policy
//! asks for, and within the caps of the day. The model has the rules; `who_approves` has the
//! matrix.

use std::collections::HashMap;

use futures::future::join_all;
use serde_json::{Value, json};
use shared::{
    agent::{
        action::{ActionType, MoneyDirection, Risk},
        alert::Alert,
        session::ProposedAction,
    },
    model::base::span,
};
use tests::support::{
    AgentSettings, Answer, Caller, Concierge, FAILED, Item, event, money, posting, proposing,
    refused, says, shows, text_of,
};

const POLICY: &str = "/api/concierge/policy";

/// Two who may execute, and neither open nor propose what the tests do.
async fn approvers(world: &Concierge) -> [Caller; 2] {
    let may = json!(["execute_agent_remediation"]);
    world.permits("sue", may).await;
    let both = world.api.sign_ins(["ada", "sue"]).await;
    both.map(|caller| caller.with_header("prefer", "respond-async"))
}

async fn executes(caller: &Caller, session: &Value, body: Value) -> Answer {
    let path = format!("/api/concierge/agent-sessions/{session}/execute?detail=full");
    caller.post(&path, body).await
}

async fn action(world: &Concierge, session: &Value, at: usize) -> Value {
    world.session(session).await["proposedActions"][at].clone()
}

#[tokio::test]
async fn an_action_shows_all_that_is_sent_and_its_digest() {
    let world = Concierge::start().await;
    let id = world.failed_payment().await;
    let ids = world.proposed(&id).await;
    let message = action(&world, &id, 1).await;
    let request = json!({
        "method": "POST", "path": "/messages",
        "body": {"customerId": "cus_501", "template": "payment_failed", "paymentId": "pay_3001"},
    });
    shows!(message, {"/steps/0/request": request, "/playbook/name": "payment-failed"});
    assert_eq!(
        message["playbook"]["hash"]
            .as_str()
            .unwrap()
            .len(),
        64
    );
    let digest = &message["digest"];
    let others = action(&world, &id, 0).await["digest"].clone();
    assert_ne!(*digest, others);
    let body = |digest: &Value| json!({"actionIds": [ids[1]], "digests": {&ids[1]: digest}});
    refused!(executes(&world.max, &id, body(&others)).await => 409, "content_changed");
    let upper = json!(digest.as_str().unwrap().to_uppercase());
    let answer = executes(&world.max, &id, body(&upper)).await;
    answer.expect_faults(&[(&format!("/digests/{}", ids[1]), "pattern")]);
    let mut approved = body(digest);
    approved["note"] = json!("Called the customer.");
    let session = executes(&world.max, &id, approved)
        .await
        .expect(202)["session"]
        .clone();
    let approvals = &session["proposedActions"][1]["approvals"];
    let record = json!([{
        "userId": world.max.id(), "at": session["updatedAt"], "digest": digest,
        "note": "Called the customer.",
    }]);
    assert_eq!(*approvals, record);
    assert_eq!(session["proposedActions"][1]["approval"], Value::Null);
}

/// Changes the path of an action's first call past the service.
async fn tampers(world: &Concierge) {
    let mut actions = world.api.items_of("agent_action").await;
    for item in &mut actions {
        let content = item.get_mut("content").unwrap();
        let mut changed: Value = serde_dynamo::from_attribute_value(content.clone()).unwrap();
        changed["steps"][0]["call"]["path"] = json!("/usage-batches/ub_1002/reprocess");
        *content = serde_dynamo::to_attribute_value(changed).unwrap();
    }
    world.api.puts(actions).await;
}

/// The crate `agent` has what else may change between the approval and the claim.
#[tokio::test]
async fn an_action_runs_only_as_it_was_approved() {
    let (world, id, _) = Concierge::start()
        .await
        .with_approved_batch()
        .await;
    tampers(&world).await;
    world.delivers(&world.worker()).await;
    world
        .has_failed(&id, "content_changed", 0)
        .await;
}

#[tokio::test]
async fn two_have_to_approve() {
    let world = Concierge::start().await;
    let [ada, sue] = approvers(&world).await;
    let two = json!({"rules": [{"approvers": 2, "notOpener": true}]});
    world.has_policy(two).await;
    let id = world.stuck_batch().await;
    let action_id = world.proposed(&id).await.remove(0);
    let body = || json!({"actionIds": [action_id]});
    let refused = executes(&world.max, &id, body()).await;
    says(
        &refused.expect_problem(403, "approver_not_allowed")["detail"],
        "2 different approvers who neither opened",
    );
    let pending = executes(&ada, &id, body())
        .await
        .expect(202);
    let approval = json!({"given": 1, "needed": 2, "expiresAt": "2026-01-15T13:00:00.000Z"});
    shows!(pending["session"], {
        "status": "awaiting_confirmation", "/proposedActions/0/approval": approval,
    });
    assert_eq!(world.takes_messages().await, [] as [String; 0]);
    executes(&sue, &id, body())
        .await
        .expect(202);
    world.delivers(&world.worker()).await;
    world.is_completed(&id, 1).await;
    shows!(action(&world, &id, 0).await["approvals"], {
        "/0/userId": ada.id(), "/1/userId": sue.id(),
    });
}

#[tokio::test]
async fn two_who_approve_at_once_have_it_run_once() {
    for _ in 0..2 {
        let world = Concierge::start().await;
        let [ada, sue] = approvers(&world).await;
        world
            .has_policy(json!({"rules": [{"approvers": 2}]}))
            .await;
        let id = world.stuck_batch().await;
        let body = json!({"actionIds": [world.proposed(&id).await.remove(0)]});
        let (first, second) =
            futures::join!(executes(&ada, &id, body.clone()), executes(&sue, &id, body));
        let mut statuses = [first, second].map(|answer| {
            let status = answer.expect(202)["session"]["status"].clone();
            status.as_str().unwrap().to_owned()
        });
        statuses.sort_unstable();
        assert_eq!(statuses, ["awaiting_confirmation", "executing"]);
        assert_eq!(world.takes_messages().await.len(), 1);
    }
}

#[tokio::test]
async fn an_approval_beside_a_change_of_the_policy_obeys_it() {
    for _ in 0..2 {
        let (world, [ada]) = Concierge::signed_in(["ada"]).await;
        let id = world.stuck_batch().await;
        let action_id = world.proposed(&id).await.remove(0);
        let list = [action_id.as_str()];
        let two = json!({"rules": [{"approvers": 2}]});
        let (approved, changed) = futures::join!(world.executes(&id, &list), ada.put(POLICY, two));
        approved.expect(202);
        changed.expect(200);
        world.delivers(&world.worker()).await;
        assert_eq!(world.demo.effects(), []);
    }
}

/// Sessions that each have an action of a customer of their own approved, and the messages of
/// those.
async fn approved(world: &Concierge, count: usize, place: usize) -> (Vec<Value>, Vec<String>) {
    let mut sessions = Vec::new();
    let mut messages = Vec::new();
    for (customer, payment) in FAILED.into_iter().take(count) {
        let entities = [("payment", payment), ("customer", customer)];
        let (id, action) = world
            .approved("payment_failed", &entities, place)
            .await;
        messages.push(world.message(&id, &action));
        sessions.push(id);
    }
    world.takes_messages().await;
    (sessions, messages)
}

/// Delivers each message to several workers at the same time.
async fn to_many(world: &Concierge, messages: &[String]) {
    let workers: Vec<_> = (0..3).map(|_| world.worker()).collect();
    let batch: Vec<(&str, u32)> = messages
        .iter()
        .map(|text| (text.as_str(), 1))
        .collect();
    join_all(
        workers
            .iter()
            .map(|worker| worker.handle(event(&batch))),
    )
    .await;
}

/// The sums of the actions that were claimed today.
async fn claimed_today(world: &Concierge) -> HashMap<String, i64> {
    let items = world.api.items().await;
    let is_day = |item: &&Item| text_of(item, "pk").ends_with("#AGENT_DAY");
    let mut days = items.iter().filter(is_day);
    let day = days.next();
    let another_day = days.next();
    assert!(another_day.is_none(), "more than one day");
    let numbers = day
        .into_iter()
        .flatten()
        .filter_map(|(name, value)| {
            let number = value.as_n().ok()?.parse().ok()?;
            Some((name.clone(), number))
        });
    numbers.collect()
}

#[tokio::test]
async fn claims_at_once_take_no_more_actions_than_the_cap_of_the_day() {
    let world = Concierge::start().await;
    world
        .has_policy(json!({"caps": {"actions": 3}}))
        .await;
    let (sessions, messages) = approved(&world, 5, 1).await;
    to_many(&world, &messages).await;
    assert_eq!(world.demo.effects().len(), 3);
    let mut beyond = 0;
    for id in &sessions {
        let (status, results) = world.outcome(id).await;
        if status != "completed" {
            assert!(results[0].1.starts_with("cap_reached"), "{results:?}");
            beyond += 1;
        }
    }
    assert_eq!(beyond, 2);
    // What lost a race to a claim was given back.
    assert_eq!(claimed_today(&world).await["actions"], 3);
    // The next day has room again.
    world
        .api
        .clock
        .advance(span::DAY - span::HOUR);
    let (id, _) = world.approved_batch().await;
    world.delivers(&world.worker()).await;
    world.is_completed(&id, 4).await;
}

/// A message to the alert's customer that costs 40 dollars.
fn paying(alert: &Alert) -> Vec<ProposedAction> {
    let mut entities = alert.entities.iter();
    let customer = entities
        .find(|entity| &*entity.r#type == "customer")
        .unwrap();
    let body = json!({"customerId": customer.id, "template": "paid"});
    let retry = ActionType::RetryPayment;
    let mut action = posting(retry, "notifications", "/messages", &body, &customer.id);
    action.content.risk = Risk::High;
    action.content.money = money(MoneyDirection::CustomerPays, 4_000, "USD");
    vec![action]
}

#[tokio::test]
async fn claims_at_once_take_no_more_money_than_the_cap_of_the_day() {
    let world = Concierge::start_with(AgentSettings {
        analyse: Some(proposing(paying)),
        ..AgentSettings::default()
    })
    .await;
    let caps = json!({"money": [{"minorUnits": 9_000, "currency": "USD"}]});
    world
        .has_policy(json!({"caps": caps}))
        .await;
    let (_, messages) = approved(&world, 5, 0).await;
    to_many(&world, &messages).await;
    assert_eq!(world.demo.effects().len(), 2);
    assert_eq!(claimed_today(&world).await["USD"], 8_000);
}
