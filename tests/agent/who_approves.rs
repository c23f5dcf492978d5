//! Approvals by risk × amount × role × opener of the session, each with the end state and the
//! effects.

use serde_json::{Value, json};
use shared::agent::{
    ActionType, Alert, Currency, Money, MoneyDirection, MoneyMoved, ProposedAction,
};

use tests::support::{AgentSettings, Caller, Concierge, posting, proposing};

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
        let ada = world.api.sign_in("ada").await;
        for (name, permission) in [
            ("sue", "execute_agent_remediation"),
            ("mia", "create_agent_remediation"),
        ] {
            let path = format!("/api/users/{}", world.api.user(name).await.id);
            let may = json!({"permissions": [permission]});
            ada.patch(&path, may).await.expect(200);
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
