//! `POST /api/concierge/agent-sessions/{id}/preview`

use local::target_systems::{FaultMode, InjectedFault};
use serde::Serialize;
use serde_json::{Value, json};
use shared::agent::{
    action::{ActionType, MoneyDirection, Reversibility, Reversible},
    session::ProposedAction,
};
use tests::support::{
    Answer, CASES, Caller, Concierge, UNKNOWN, begins, money, posting, puts, read_of, refused,
    says, shows, snapshot, with,
};

pub(super) async fn previews(caller: &Caller, session: &Value, ids: &[impl Serialize]) -> Answer {
    let path = format!("/api/concierge/agent-sessions/{session}/preview");
    caller
        .post(&path, json!({"actionIds": ids}))
        .await
}

/// Voids the invoice as long as it is open, or credits it. A person could void it, too.
fn careful() -> Vec<ProposedAction> {
    use MoneyDirection::{CustomerIsRepaid, CustomerOwesLess, CustomerOwesMore};
    let read = |name: &str, path: &str| read_of(name, "billing", path);
    let require = |value: Value| serde_json::from_value(value).unwrap();
    let act = |kind, path: &str, body: Value, entity: &str, moved| {
        let action = posting(kind, "billing", path, &body, entity);
        with(action, |action| action.money = moved)
    };
    let path = "/invoices/inv_2008/void";
    let moved = money(CustomerOwesLess, 701_550, "USD");
    let void = act(ActionType::VoidInvoice, path, json!({}), "inv_2008", moved);
    let void = with(void, |void| {
        void.reads = vec![
            read("invoice", "/invoices/inv_2008"),
            read("none", "/invoices/inv_none"),
            read("other", "/customers/cus_505"),
        ];
        void.require = vec![
            require(json!({"fact": "invoice.state", "is": ["draft", "open"]})),
            require(json!({"fact": "invoice.state", "is": ["paid"]})),
            require(json!({"fact": "none.state", "is": ["open"]})),
        ];
        void.reversible = Some(Reversible {
            is: Reversibility::Yes,
            says: "By a new invoice.".into(),
        });
    });
    let path = "/invoices/inv_2008/credit-notes";
    let body = json!({"amount": 100, "reason": "Twice"});
    let moved = money(CustomerIsRepaid, 100, "USD");
    let credit = act(ActionType::IssueCreditNote, path, body, "inv_2008", moved);
    let path = "/invoices/inv_none/void";
    let body = json!({"amount": 5});
    let moved = money(CustomerOwesMore, -5, "EUR");
    let sync = act(ActionType::SyncCustomer, path, body, "cus_505", moved);
    let by_hand = ProposedAction {
        key: "by_hand".into(),
        is_automated: false,
        ..void.clone()
    };
    vec![void, credit, sync, by_hand]
}

/// A world with that engine, a session of it, and its actions.
pub(super) async fn carefully() -> (Concierge, Value, Vec<String>) {
    proposing(careful()).await
}

/// A world whose engine proposes these actions, a session of it, and its actions.
async fn proposing(actions: Vec<ProposedAction>) -> (Concierge, Value, Vec<String>) {
    let world = Concierge::start_proposing(actions).await;
    let entities = [("invoice", "inv_2008"), ("customer", "cus_505")];
    let alert = world
        .alert("invoice_duplicated", &entities)
        .await;
    let session = world.opened(&alert).await;
    let ids = world.proposed(&session).await;
    (world, session, ids)
}

#[tokio::test]
async fn an_approver_sees_what_would_be_done_and_to_whom() {
    let world = Concierge::start().await;
    let id = world.failed_payment().await;
    let actions = world.proposed(&id).await;
    let vic = world.api.sign_in("sue").await;
    let answer = previews(&vic, &id, &[&actions[1], &actions[0], &actions[1]]).await;
    let preview = answer.expect(200);
    snapshot!(preview);
    // No secret is in it.
    assert!(!answer.text.contains("Bearer") && !answer.text.contains("-secret"));
}

#[tokio::test]
async fn preconditions_are_as_of_now() {
    let (world, id, ids) = carefully().await;
    let before = world.api.table_dump().await;
    let preview = previews(&world.max, &id, &ids)
        .await
        .expect(200);
    let [void, by_hand] = [0, 3].map(|at| preview["actions"][at].clone());
    // There is no record for the third one, and the worker would send nothing.
    snapshot!(void["preconditions"], @r#"
    [
      {
        "condition": "invoice.state is `draft` or `open`",
        "found": {"invoice.state": "open"},
        "holds": true,
        "problem": null,
        "says": "invoice.state is `draft` or `open`"
      },
      {
        "condition": "invoice.state is `paid`",
        "found": {"invoice.state": "open"},
        "holds": false,
        "problem": null,
        "says": "invoice.state is `paid`"
      },
      {
        "condition": "none.state is `open`",
        "found": {"none.state": null},
        "holds": false,
        "problem": "The record of none is gone: its system does not have it.",
        "says": "none.state is `open`"
      }
    ]
    "#);
    shows!(void, {"reversible": {"is": "yes", "says": "By a new invoice."}});
    assert_eq!(preview["exclusive"], json!([[ids[0], ids[1]]]));
    // Neither direction is taken off the other, and what a person would do is in none.
    snapshot!(preview["sums"], @r#"
    {
      "customers": 1,
      "money": [
        {"currency": "USD", "direction": "customer_owes_less", "minorUnits": 701550},
        {"currency": "EUR", "direction": "customer_owes_more", "minorUnits": -5},
        {"currency": "USD", "direction": "customer_is_repaid", "minorUnits": 100}
      ],
      "records": 2,
      "requests": 3,
      "unknownAmounts": 0
    }
    "#);
    assert_eq!(by_hand["money"]["direction"], "customer_owes_less");
    shows!(void["money"], {"amount": {"minorUnits": 701_550, "currency": "USD"}});

    // A system that is down tells nothing, whatever its answer says.
    let fault = InjectedFault::once("billing", FaultMode::Fail).times(9);
    world
        .demo
        .inject(fault.of("GET /invoices/{id}"));
    let down = previews(&world.max, &id, &ids)
        .await
        .expect(200);
    let first = &down["actions"][0]["preconditions"][0];
    shows!(first, {"holds": null, "problem": "The target system answered 500 to invoice."});
    world.demo.clear_faults();

    // While the connection is paused, nothing is sent, and nothing known.
    world
        .max
        .triggers("/api/concierge/connections/billing/pause")
        .await;
    let paused = previews(&world.max, &id, &ids)
        .await
        .expect(200);
    let void = &paused["actions"][0];
    assert_eq!(void["preconditions"][0]["holds"], Value::Null);
    says(&void["preconditions"][0]["problem"], "paused");
    assert_eq!(void["obstacles"], json!(["The connection is paused."]));
    world
        .max
        .triggers("/api/concierge/connections/billing/resume")
        .await;
    assert_eq!(world.demo.effects().len(), 0);
    let mut now = world.api.table_dump().await;
    // The pauses are in the organization's journal.
    now.retain(|item| !item.contains("#CONNECTION") && !item.contains("organization_"));
    // The read that got no clear answer counts for the breaker.
    now.retain(|item| !item.contains("connection_traffic"));
    assert!(
        now.iter()
            .all(|item| before.contains(item))
    );
}

#[tokio::test]
async fn a_guard_names_who_holds_it() {
    let mut actions = careful();
    for action in &mut actions {
        action.content.require.clear();
    }
    let (world, first, ids) = proposing(actions).await;
    world
        .executes(&first, &[&ids[0]])
        .await
        .expect(202);
    world.runs(&first, &ids[0]).await;
    assert_eq!(world.outcome(&first).await.0, "completed");
    // Neither its own nor an ended one of another kind is in the way.
    let preview = previews(&world.max, &first, &ids[..2])
        .await
        .expect(200);
    assert_eq!(preview["actions"][0]["guards"][0]["heldBy"], Value::Null);
    let other = json!([{"record": "invoice/inv_2008", "heldBy": null}]);
    assert_eq!(preview["actions"][1]["guards"], other);
    // In another session the same kind is, for a day.
    let alert = world.alert("invoice_duplicated", &[("invoice", "inv_2008")]);
    let second = world.opened(&alert.await).await;
    let ids = world.proposed(&second).await;
    let action = &previews(&world.max, &second, &[&ids[0]])
        .await
        .expect(200)["actions"][0];
    assert_eq!(action["guards"][0]["heldBy"]["sessionId"], first);
    begins(
        &action["guards"][0]["heldBy"]["detail"],
        "done_recently: void_invoice",
    );
    world.api.clock.advance(24 * 3_600_000);
    let max = world.max_again().await;
    let preview = previews(&max, &second, &[&ids[0]])
        .await
        .expect(200);
    assert_eq!(preview["actions"][0]["guards"][0]["heldBy"], Value::Null);
}

#[tokio::test]
async fn a_policy_says_whether_the_caller_may_approve() {
    let (world, id, ids) = carefully().await;
    let ada = world.api.sign_in("ada").await;
    let policy = puts!(ada, "/api/concierge/policy", {
        "preset": "billing", "caps": {"money": [{"minorUnits": 1000, "currency": "USD"}]},
    });
    let of = async |caller: &Caller, at: usize| {
        previews(caller, &id, &[&ids[at]])
            .await
            .expect(200)["actions"][0]["policy"]
            .clone()
    };
    // Max opened the session.
    let own = of(&world.max, 1).await;
    shows!(own, {"mayApprove": false, "approversNeeded": 1});
    says(&own["whyNot"], "neither opened");
    assert_eq!(of(&ada, 1).await["mayApprove"], true);
    let above = of(&ada, 0).await;
    assert_eq!(above["mayApprove"], false);
    says(&above["aboveCap"], "10.00 USD");
    let mut rules = policy["rules"]
        .as_array()
        .unwrap()
        .clone();
    rules.push(json!({"when": {"actionType": "issue_credit_note"}, "deny": true}));
    puts!(ada, "/api/concierge/policy", {"rules": rules});
    let denied = of(&ada, 1).await;
    shows!(denied, {"denied": true, "mayApprove": false});
}

#[tokio::test]
async fn a_preview_names_all_obstacles() {
    let world = Concierge::start().await;
    let id = world.stuck_batch().await;
    let ids = world.proposed(&id).await;
    let elsewhere =
        json!({"baseUrl": "http://127.0.0.1:1", "allow": ["GET /status"], "testPath": null});
    world
        .connects("billing", elsewhere)
        .await;
    world
        .max
        .triggers("/api/concierge/pause")
        .await;
    let preview = previews(&world.max, &id, &ids)
        .await
        .expect(200);
    let obstacles = preview["actions"][0]["obstacles"].to_string();
    for part in ["are paused", "was changed since", "does not allow POST"] {
        assert!(obstacles.contains(part), "{part}: {obstacles}");
    }
    let manual = &preview["actions"][1];
    shows!(manual, {"isAutomated": false, "requests": []});
    says(&manual["obstacles"][0], "manual");
    let ada = world.api.sign_in("ada").await;
    ada.deletes("/api/concierge/connections/billing")
        .await;
    let gone = &previews(&world.max, &id, &ids)
        .await
        .expect(200)["actions"][0];
    let obstacles = gone["obstacles"].to_string();
    assert!(obstacles.contains("There is no connection"), "{obstacles}");
    shows!(gone["requests"][0], {"url": "/usage-batches/ub_1001/reprocess"});
}

#[tokio::test]
async fn actions_of_the_newest_proposal_alone_are_previewed() {
    let world = Concierge::start().await;
    let id = world.stuck_batch().await;
    let old = world.proposed(&id).await.remove(0);
    world.proposed(&id).await;
    refused!(previews(&world.max, &id, &["nothing"]).await => [("/actionIds/0", "unknown")]);
    refused!(previews(&world.max, &id, &[&old]).await => 409, "proposal_superseded");
}

const SYSTEMS: [&str; 3] = ["billing", "payments", "notifications"];
const MODES: [FaultMode; 3] = [FaultMode::Fail, FaultMode::Hang, FaultMode::Redirect];

/// Under every fault, nothing is done, and nothing written but the breakers.
#[tokio::test]
async fn a_preview_of_any_playbook_causes_nothing_whatever_fails() {
    let world = Concierge::start().await;
    let mut sessions = Vec::new();
    for case in CASES.iter().chain([&UNKNOWN]) {
        let alert = world
            .alert_of(world.api.home.id, case)
            .await;
        sessions.push(world.opened(&alert).await);
    }
    let mut proposed = Vec::new();
    for id in &sessions {
        proposed.push((id, world.proposed(id).await));
    }
    let before = world.api.table_dump().await;
    let mut count = 0;
    for mode in MODES
        .map(Some)
        .into_iter()
        .chain([None])
    {
        for (system, status) in SYSTEMS
            .into_iter()
            .flat_map(|system| [(system, 429), (system, 503)])
        {
            let Some(mode) = mode else { break };
            world.demo.inject(
                InjectedFault::once(system, mode)
                    .status(status)
                    .times(1_000),
            );
        }
        for (id, ids) in &proposed {
            let preview = previews(&world.max, id, ids);
            let preview = match mode {
                Some(FaultMode::Hang) => world.hurries(preview).await,
                _ => preview.await,
            };
            count += preview.expect(200)["actions"]
                .as_array()
                .unwrap()
                .len();
        }
        world.demo.clear_faults();
        assert_eq!(world.demo.effects().len(), 0, "{mode:?}");
        // Unclear answers count for the breaker, which is to let the next mode's reads pass.
        for system in SYSTEMS {
            world
                .api
                .loses("ORG#1#TRAFFIC", system)
                .await;
        }
        assert_eq!(world.api.table_dump().await, before, "{mode:?}");
    }
    let each: usize = proposed
        .iter()
        .map(|(_, ids)| ids.len())
        .sum();
    assert_eq!(count, each * 4);
    assert!(each >= 3, "{each}");
}
