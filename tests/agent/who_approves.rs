//! Approvals by risk × amount × role × opener of the session, each with the end state and the
//! effects.

use serde_json::{Value, json};
use shared::{
    agent::{
        action::{ActionType, MoneyDirection, MoneyMoved},
        alert::{Alert, Currency, Money},
        session::ProposedAction,
    },
    auth::password,
    model::{Id, User, UserId},
    store::WriteContext,
};

use tests::support::{AgentSettings, Answer, Caller, Concierge, posting, proposing};

/// A policy as a billing team may want it. An approver of money or customer notices is another one
/// than the opener. Irreversible actions need two approvers, and a thousand dollars a manager.
fn policy() -> Value {
    json!({"rules": [
        {"when": {"movesMoney": true}, "notOpener": true},
        {"when": {"riskAtLeast": "high"}, "notOpener": true},
        {"when": {"riskAtLeast": "critical"}, "approvers": 2},
        {
            "when": {"amountAtLeast": {"minorUnits": 100_000, "currency": "USD"}},
            "roles": ["manager", "admin"],
        },
    ]})
}

/// Outcomes of an approval: `1` the action is done; `2` a second approver is needed, and then it is
/// done; `-` the approval is refused.
///
/// Columns: support, manager, admin, each on another user's session and on their own.
const TABLE: [(&str, &str, &str); 16] = [
    // risk, amount, support manager admin
    ("low", "none", "11 11 11"),
    ("low", "999.99 USD", "1- 1- 1-"),
    ("low", "1000.00 USD", "-- 1- 1-"),
    ("low", "unknown", "-- 1- 1-"),
    ("medium", "none", "11 11 11"),
    ("medium", "999.99 USD", "1- 1- 1-"),
    ("medium", "1000.00 USD", "-- 1- 1-"),
    ("medium", "unknown", "-- 1- 1-"),
    ("high", "none", "1- 1- 1-"),
    ("high", "999.99 USD", "1- 1- 1-"),
    ("high", "1000.00 USD", "-- 1- 1-"),
    ("high", "unknown", "-- 1- 1-"),
    ("critical", "none", "2- 2- 2-"),
    ("critical", "999.99 USD", "2- 2- 2-"),
    ("critical", "1000.00 USD", "-- 2- 2-"),
    ("critical", "unknown", "-- 2- 2-"),
];

/// Proposes an action of the risk and the amount that the alert's entities name.
fn as_asked(alert: &Alert) -> Vec<ProposedAction> {
    let asked = |kind: &str| {
        let mut entities = alert.entities.iter();
        &*entities.find(|one| *one.r#type == *kind).unwrap().id
    };
    let money = |minor_units| Money {
        minor_units,
        currency: Currency::new("USD").unwrap(),
    };
    let paid = |amount| MoneyMoved {
        direction: MoneyDirection::CustomerPays,
        amount,
    };
    let (action_type, money) = match asked("amount") {
        "none" => (ActionType::SyncCustomer, None),
        "unknown" => (ActionType::RetryPayment, Some(paid(None))),
        "999.99 USD" => (ActionType::RetryPayment, Some(paid(Some(money(99_999))))),
        _ => (ActionType::RetryPayment, Some(paid(Some(money(100_000))))),
    };
    let body = json!({"customerId": "cus_501", "template": "payment_failed"});
    let (system, path) = ("notifications", "/messages");
    let mut action = posting(action_type, system, path, &body, asked("case"));
    action.content.risk = serde_json::from_value(json!(asked("risk"))).unwrap();
    action.content.money = money;
    vec![action]
}

struct People {
    /// Opens sessions, and may not execute.
    mia: Caller,
    sue: Caller,
    max: Caller,
    ada: Caller,
}

impl People {
    async fn of(world: &Concierge) -> Self {
        for (name, permission) in [
            ("sue", "execute_agent_remediation"),
            ("mia", "create_agent_remediation"),
        ] {
            world.permits(name, json!([permission])).await;
        }
        let signs_in = async |name| {
            let caller = world.api.sign_in(name).await;
            caller.with_header("prefer", "respond-async")
        };
        Self {
            mia: signs_in("mia").await,
            sue: signs_in("sue").await,
            max: signs_in("max").await,
            ada: signs_in("ada").await,
        }
    }

    /// A user who may approve everything, and is not the first.
    fn second(&self, first: &Caller) -> &Caller {
        if first.id() == self.ada.id() {
            &self.max
        } else {
            &self.ada
        }
    }
}

/// Returns the outcome for an action of that risk and amount, opened by one user and approved by
/// another.
async fn becomes(
    world: &Concierge,
    people: &People,
    (risk, amount): (&str, &str),
    opener: &Caller,
    first: &Caller,
) -> char {
    let case = format!("{risk} {amount} {} {}", opener.id(), first.id());
    let entities = [("risk", risk), ("amount", amount), ("case", case.as_str())];
    let alert = world.alert("anything", &entities).await;
    let path = format!("/api/concierge/alerts/{}/agent-session", alert.id);
    let session = opener.trigger(&path).await.expect(200)["session"]["id"].clone();
    let path = format!("/api/concierge/agent-sessions/{session}");
    let answer = opener.trigger(&format!("{path}/propose")).await;
    let action = &answer.expect(200)["session"]["proposedActions"][0]["id"];
    let execute = format!("{path}/execute");
    let approves = async |by: &Caller| by.post(&execute, json!({"actionIds": [action]})).await;
    let effects = || world.demo.effects().len();
    let before = effects();
    let answer = approves(first).await;
    world.delivers(&world.worker()).await;
    let status = world.outcome(&session).await.0;
    let done = effects() - before;
    if answer.status == 403 {
        answer.expect_problem(403, "approver_not_allowed");
        assert_eq!(
            (status.as_str(), done),
            ("awaiting_confirmation", 0),
            "{case}"
        );
        return '-';
    }
    answer.expect(202);
    if status == "completed" {
        assert_eq!(done, 1, "{case}");
        return '1';
    }
    assert_eq!(
        (status.as_str(), done),
        ("awaiting_confirmation", 0),
        "{case}"
    );
    approves(people.second(first)).await.expect(202);
    world.delivers(&world.worker()).await;
    let status = world.outcome(&session).await.0;
    assert_eq!(
        (status.as_str(), effects() - before),
        ("completed", 1),
        "{case}"
    );
    '2'
}

#[tokio::test]
async fn each_approver_executes_what_the_policy_allows() {
    let world = Concierge::start_with(AgentSettings {
        analyse: Some(proposing(as_asked)),
        ..AgentSettings::default()
    })
    .await;
    let people = People::of(&world).await;
    let set = people.ada.put("/api/concierge/policy", policy()).await;
    set.expect(200);
    for (risk, amount, expected) in TABLE {
        let mut found = String::new();
        for approver in [&people.sue, &people.max, &people.ada] {
            if !found.is_empty() {
                found.push(' ');
            }
            for opener in [&people.mia, approver] {
                found.push(becomes(&world, &people, (risk, amount), opener, approver).await);
            }
        }
        assert_eq!(found, expected, "{risk}, {amount}");
    }
}

async fn asks(caller: &Caller, session: &Value, verb: &str, action: &str) -> Answer {
    let caller = caller.clone().with_header("prefer", "respond-async");
    let path = format!("/api/concierge/agent-sessions/{session}/{verb}");
    caller.post(&path, json!({"actionIds": [action]})).await
}

/// Sets the policy and has an action proposed: session and action.
async fn proposed_under(world: &Concierge, rules: Value) -> (Value, String) {
    let ada = world.api.sign_in("ada").await;
    let path = "/api/concierge/policy";
    let version = ada.get(path).await.expect(200)["version"].clone();
    let ada = ada.with_header("if-match", &format!("\"{version}\""));
    ada.put(path, json!({"rules": rules})).await.expect(200);
    let id = world.stuck_batch().await;
    let action = world.proposed(&id).await.remove(0);
    (id, action)
}

/// Has a user open a session on an alert and propose actions: session and action.
async fn proposed_by(caller: &Caller, alert: &str) -> (Value, String) {
    let path = format!("/api/concierge/alerts/{alert}/agent-session");
    let id = caller.trigger(&path).await.expect(200)["session"]["id"].clone();
    let path = format!("/api/concierge/agent-sessions/{id}/propose");
    let proposed = caller.trigger(&path).await.expect(200)["session"].clone();
    let action = proposed["proposedActions"][0]["id"].as_str().unwrap();
    (id, action.to_owned())
}

/// A user who chooses the record is no second pair of eyes.
#[tokio::test]
async fn who_recorded_the_alert_does_not_approve_for_another() {
    let world = Concierge::start().await;
    let (ada, sue) = (
        world.api.sign_in("ada").await,
        world.api.sign_in("sue").await,
    );
    let rules = json!({"rules": [{"notOpener": true}]});
    ada.put("/api/concierge/policy", rules).await.expect(200);
    let alert = json!({
        "source": "billing-monitor", "externalId": "stuck-ub_1001",
        "signalType": "usage_batch_stuck", "severity": "error", "title": "It is stuck",
        "targetSystem": "billing", "entities": [{"type": "usage_batch", "id": "ub_1001"}],
    });
    let alert = world
        .max
        .post("/api/concierge/alerts", alert)
        .await
        .expect(200);
    assert_eq!(alert["createdBy"], json!(world.max.id()));
    let (id, action) = proposed_by(&sue, &alert["id"].to_string()).await;
    let refused = asks(&world.max, &id, "execute", &action).await;
    refused.expect_problem(403, "approver_not_allowed");
    let open = "/api/concierge/agent-sessions?open=true";
    for (caller, may_approve) in [(&world.max, false), (&ada, true)] {
        let row = caller.get(open).await.expect(200)[0].clone();
        assert_eq!(row["proposedActions"][0]["mayApprove"], may_approve);
    }
    asks(&ada, &id, "execute", &action).await.expect(202);
    world.delivers(&world.worker()).await;
    assert_eq!(world.outcome(&id).await.0, "completed");
}

/// An account made by another user is that user's for a day.
#[tokio::test]
async fn a_new_account_is_no_second_approver_for_a_day() {
    let world = Concierge::start().await;
    let ada = world.api.sign_in("ada").await;
    let nia = json!({
        "username": "nia", "fullName": "Nia Adeyemi", "role": "manager",
        "password": "four words of your own",
    });
    let nia = ada.post("/api/users", nia).await.expect(200)["id"].clone();
    let nia = async || {
        let id = UserId::new(nia.as_i64().unwrap()).unwrap();
        let store = world.store_beside().await;
        let user = store.directory().user(world.api.home.id, id).await.unwrap();
        world.api.session_of(&user).await
    };
    // Where any one user may approve, so may a new one.
    let (id, action) = proposed_under(&world, json!([])).await;
    asks(&nia().await, &id, "execute", &action)
        .await
        .expect(202);
    for rules in [json!([{"approvers": 2}]), json!([{"notOpener": true}])] {
        let (id, action) = proposed_under(&world, rules.clone()).await;
        let refused = asks(&nia().await, &id, "execute", &action).await;
        let problem = refused.expect_problem(403, "approver_not_allowed");
        let detail = problem["detail"].as_str().unwrap();
        assert!(
            detail.contains("count from 2026-01-16T12:00:00.000Z on"),
            "{detail}"
        );
        let preview = asks(&nia().await, &id, "preview", &action)
            .await
            .expect(200);
        let policy = &preview["actions"][0]["policy"];
        assert_eq!(policy["whyNot"], problem["detail"], "{rules}");
        assert_eq!(policy["mayApprove"], false);
    }
    world.api.clock.advance(User::FRESH);
    let sue = world.api.sign_in("sue").await;
    let alert = world.alert("usage_batch_stuck", &[("usage_batch", "ub_1001")]);
    let (id, action) = proposed_by(&sue, &alert.await.id.to_string()).await;
    asks(&nia().await, &id, "execute", &action)
        .await
        .expect(202);
}

/// Whoever sets the password of an approver could sign in as that approver.
#[tokio::test]
async fn an_approver_with_a_password_of_another_user_does_not_count() {
    let world = Concierge::start().await;
    let ada = world.api.sign_in("ada").await;
    let max = world.api.user("max").await;
    let (id, action) = proposed_under(&world, json!([{"approvers": 2}])).await;
    asks(&world.max, &id, "execute", &action).await.expect(202);
    let password = json!({"password": "four other words of yours"});
    let path = format!("/api/users/{}/password", max.id);
    ada.put(&path, password).await.expect(204);
    // Neither the approval of before, nor another one.
    let session = asks(&ada, &id, "execute", &action).await.expect(202)["session"].clone();
    assert_eq!(session["status"], "awaiting_confirmation");
    let max = async || {
        let store = world.store_beside().await;
        let user = store.directory().user(max.organization_id, max.id).await;
        world.api.session_of(&user.unwrap()).await
    };
    let refused = asks(&max().await, &id, "execute", &action).await;
    refused.expect_problem(403, "approver_not_allowed");
    assert_eq!(world.takes_messages().await, [] as [String; 0]);
    // A password of the operator is nobody else's.
    let store = world.store_beside().await;
    let user = world.api.user("max").await;
    let hash = password::hash("four words of the operator".into()).await;
    let operator = WriteContext::of_operator(user.organization_id);
    let directory = store.directory();
    let reset = directory.change_password(operator, &user, hash.unwrap());
    reset.await.unwrap();
    let session = asks(&max().await, &id, "execute", &action)
        .await
        .expect(202)["session"]
        .clone();
    assert_eq!(session["status"], "executing");
}

/// A machine's token records every alert of an organization. Its owner would approve none of them.
#[tokio::test]
async fn the_owner_of_a_machines_token_may_approve() {
    for (permissions, status) in [
        (json!(["manage_signals"]), 202),
        (json!(["manage_signals", "view_work"]), 403),
    ] {
        let world = Concierge::start().await;
        let admin = world.api.sign_in("ada").await;
        let policy = json!({"rules": [{"notOpener": true}]});
        admin.put("/api/concierge/policy", policy).await.expect(200);
        let ada = world.api.user("ada").await;
        let sender = world
            .api
            .token_of(&ada, json!({"permissions": permissions}))
            .await;
        let body = json!({"alerts": [{
            "status": "firing", "startsAt": "2026-01-15T11:58:03.52Z", "fingerprint": "c0ffee",
            "labels": {
                "alertname": "UsageBatchStuck", "connection": "billing",
                "entity_usage_batch": "ub_1001",
            },
        }]});
        let answer = sender
            .post("/api/concierge/alerts/alertmanager", body)
            .await
            .expect(200);
        let id = &answer["recorded"][0]["id"];
        let path = format!("/api/concierge/alerts/{id}/agent-session");
        let session = world.max.trigger(&path).await.expect(200)["session"]["id"].clone();
        let action = world.proposed(&session).await.remove(0);
        let ada = world
            .api
            .sign_in("ada")
            .await
            .with_header("prefer", "respond-async");
        let path = format!("/api/concierge/agent-sessions/{session}/execute");
        let answer = ada.post(&path, json!({"actionIds": [action]})).await;
        if status == 202 {
            answer.expect(202);
        } else {
            answer.expect_problem(403, "approver_not_allowed");
        }
    }
}
