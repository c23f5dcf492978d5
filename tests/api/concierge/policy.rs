//! `/api/concierge/policy`

use serde_json::{Value, json};

use crate::{
    budgets::within,
    support::{Concierge, raise_version},
};

const PATH: &str = "/api/concierge/policy";

#[tokio::test]
async fn without_one_there_is_a_policy_that_asks_for_nothing() {
    let world = Concierge::start().await;
    let sue = world.api.sign_in("sue").await;
    world.api.counter.take();
    let answer = sue.get(PATH).await;
    let policy = within(&world.api, "GET /api/concierge/policy", 200, &answer);
    let none = json!({
        "rules": [], "caps": {"actions": null, "money": []},
        "updatedBy": null, "updatedAt": null, "version": 0,
    });
    assert_eq!(policy, none);
    assert_eq!(answer.header("etag"), Some("\"0\""));
}

#[tokio::test]
async fn it_is_set_in_parts_and_read_back() {
    let world = Concierge::start().await;
    let ada = world.api.sign_in("ada").await;
    let rule = json!({
        "when": {
            "actionType": "void_invoice", "riskAtLeast": "high", "connection": "billing",
            "amountAtLeast": {"minorUnits": 500_000, "currency": "USD"}, "movesMoney": true,
        },
        "approvers": 2, "roles": ["manager", "admin"], "notOpener": true, "deny": false,
    });
    world.api.counter.take();
    let answer = ada.put(PATH, json!({"rules": [rule]})).await;
    let mut policy = within(&world.api, "PUT /api/concierge/policy", 200, &answer);
    assert_eq!(policy["rules"], json!([rule]));
    assert_eq!(policy["updatedBy"], json!(ada.id()));
    assert_eq!(policy["version"], 1);
    assert_eq!(ada.get(PATH).await.expect(200), policy);
    let caps = json!({"actions": 20, "money": [{"minorUnits": 10_000, "currency": "EUR"}]});
    let with_caps = ada.put(PATH, json!({"caps": caps})).await.expect(200);
    raise_version(&mut policy);
    policy["caps"] = caps;
    assert_eq!(with_caps, policy);
    let preset = ada
        .put(PATH, json!({"preset": "billing", "caps": null}))
        .await
        .expect(200);
    assert_eq!(preset["rules"].as_array().unwrap().len(), 3);
    assert_eq!(preset["caps"], json!({"actions": null, "money": []}));
    // Another organization has none of it.
    let zoe = world.api.sign_in("zoe").await;
    assert_eq!(zoe.get(PATH).await.expect(200)["version"], 0);
}

#[tokio::test]
async fn it_is_set_under_the_version_that_was_read() {
    let world = Concierge::start().await;
    let ada = world.api.sign_in("ada").await;
    let none = ada.clone().with_header("if-match", "\"0\"");
    let body = json!({"preset": "billing"});
    let (one, other) = futures::join!(none.put(PATH, body.clone()), none.put(PATH, body.clone()));
    let mut statuses = [one.status, other.status];
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 412]);
    none.put(PATH, body.clone())
        .await
        .expect_problem(412, "precondition_failed");
    let first = ada.clone().with_header("if-match", "\"1\"");
    assert_eq!(first.put(PATH, body).await.expect(200)["version"], 2);
}

#[tokio::test]
async fn every_fault_is_answered_and_nothing_set() {
    let world = Concierge::start().await;
    let ada = world.api.sign_in("ada").await;
    for (body, faults) in [
        (json!({"preset": "shipping"}), vec![("/preset", "value")]),
        (
            json!({"preset": "billing", "rules": []}),
            vec![("/preset", "combination")],
        ),
        (json!({"rules": null}), vec![("/rules", "null")]),
        (
            json!({"rules": [{"approvers": 3, "roles": ["boss"], "notOpener": "yes"}]}),
            vec![
                ("/rules/0/approvers", "range"),
                ("/rules/0/roles/0", "value"),
                ("/rules/0/notOpener", "type"),
            ],
        ),
        (
            json!({"rules": [{"when": {
                "actionType": "nothing", "riskAtLeast": "some", "connection": "",
                "amountAtLeast": {"minorUnits": -1, "currency": "usd"},
            }}]}),
            vec![
                ("/rules/0/when/actionType", "value"),
                ("/rules/0/when/riskAtLeast", "value"),
                ("/rules/0/when/amountAtLeast/minorUnits", "range"),
                ("/rules/0/when/amountAtLeast/currency", "pattern"),
                ("/rules/0/when/connection", "blank"),
            ],
        ),
        (
            json!({"caps": {"actions": -1, "money": [
                {"minorUnits": 1, "currency": "EUR"}, {"minorUnits": 2, "currency": "EUR"},
            ]}}),
            vec![
                ("/caps/actions", "range"),
                ("/caps/money/1/currency", "repeated"),
            ],
        ),
        (json!({"rules": {}}), vec![("/rules", "type")]),
        (
            json!({"rules": vec![json!({}); 51]}),
            vec![("/rules", "length")],
        ),
        (
            json!({"rules": [{"approvers": 0, "roles": vec!["admin"; 6], "deny": 1, "when": 5}]}),
            vec![
                ("/rules/0/when", "type"),
                ("/rules/0/approvers", "range"),
                ("/rules/0/roles", "length"),
                ("/rules/0/deny", "type"),
            ],
        ),
        (
            json!({"caps": {"actions": 1_000_001, "money": vec![json!({}); 21]}}),
            vec![("/caps/actions", "range"), ("/caps/money", "length")],
        ),
        (
            json!({"caps": {"actions": 1.5, "money": [{"minorUnits": "1", "currency": "EURO"}, {}]}}),
            vec![
                ("/caps/actions", "type"),
                ("/caps/money/0/minorUnits", "type"),
                ("/caps/money/0/currency", "pattern"),
                ("/caps/money/1/minorUnits", "required"),
                ("/caps/money/1/currency", "required"),
            ],
        ),
        (json!({"caps": 5}), vec![("/caps", "type")]),
    ] {
        ada.put(PATH, body).await.expect_faults(&faults);
    }
    assert_eq!(ada.get(PATH).await.expect(200)["version"], 0);
}

#[tokio::test]
async fn it_needs_the_permissions() {
    let world = Concierge::start().await;
    for (name, reads) in [("vic", 403), ("mia", 403), ("sue", 200), ("max", 200)] {
        let caller = world.api.sign_in(name).await;
        assert_eq!(caller.get(PATH).await.status, reads, "{name}");
        let answer = caller.put(PATH, json!({"preset": "billing"})).await;
        answer.expect_problem(403, "permission_denied");
    }
    let policy: Value = world.max.get(PATH).await.expect(200);
    assert_eq!(policy["version"], 0);
}
