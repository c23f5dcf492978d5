//! `/api/concierge/policy`

use serde_json::{Value, json};
use shared::model::base::{Id, span};
use tests::support::{
    Caller, Concierge, patches, puts, raise_version, refused, shows, snapshot, statuses,
};

const PATH: &str = "/api/concierge/policy";

#[tokio::test]
async fn an_unset_policy_asks_for_nothing() {
    let (_, [sue]) = Concierge::signed_in(["sue"]).await;
    let answer = sue.get(PATH).await;
    snapshot!(answer.expect(200), @r#"
    {
      "caps": {"actions": null, "messagesPerCustomer": null, "money": []},
      "pending": null,
      "rules": [],
      "signedInWithin": null,
      "updatedAt": null,
      "updatedBy": null,
      "version": 0
    }
    "#);
    assert_eq!(answer.header("etag"), Some("\"0\""));
}

#[tokio::test]
async fn a_policy_is_set_in_parts_and_read_back() {
    let (world, [ada]) = Concierge::signed_in(["ada"]).await;
    let rule = json!({
        "when": {
            "actionType": "void_invoice", "riskAtLeast": "high", "connection": "billing",
            "amountAtLeast": {"minorUnits": 500_000, "currency": "USD"}, "movesMoney": true,
            "recordsAtLeast": 1_000,
        },
        "approvers": 2, "roles": ["manager", "admin"], "notOpener": true, "deny": false,
    });
    let mut policy = puts!(ada, PATH, {"rules": [rule]});
    shows!(policy, {"rules": [rule], "updatedBy": ada.id(), "version": 1});
    assert_eq!(ada.reads(PATH).await, policy);
    let caps = json!({
        "actions": 20, "money": [{"minorUnits": 10_000, "currency": "EUR"}], "messagesPerCustomer": 3,
    });
    let with_caps = puts!(ada, PATH, {"caps": caps});
    raise_version(&mut policy);
    policy["caps"] = caps;
    assert_eq!(with_caps, policy);
    let preset = puts!(ada, PATH, {"preset": "billing"});
    // It demands less of this action than the rule before.
    assert_eq!(preset["rules"], json!([rule]));
    assert_eq!(
        preset["pending"]["policy"]["rules"]
            .as_array()
            .unwrap()
            .len(),
        3
    );
    // Another organization has none of it.
    let zoe = world.api.sign_in("zoe").await;
    assert_eq!(zoe.reads(PATH).await["version"], 0);
}

/// A world with a policy that asks for two approvers.
async fn strict() -> (Concierge, Caller) {
    let world = Concierge::start().await;
    let ada = world.api.sign_in("ada").await;
    puts!(ada, PATH, {"rules": [{"approvers": 2}], "caps": {"actions": 9}});
    (world, ada)
}

/// A policy without rules and caps.
fn none() -> Value {
    json!({"rules": [], "caps": null})
}

/// One admin alone does not lift the rule of two.
#[tokio::test]
async fn a_looser_policy_is_in_force_after_a_day() {
    let (world, ada) = strict().await;
    let id = world.stuck_batch().await;
    let action = world.proposed(&id).await.remove(0);
    let put = ada.puts(PATH, none()).await;
    snapshot!(put, @r#"
    {
      "caps": {"actions": 9, "messagesPerCustomer": null, "money": []},
      "pending": {
        "appliesAt": "2026-01-16T12:00:00.000Z",
        "at": "2026-01-15T12:00:00.000Z",
        "by": 2,
        "policy": {
          "caps": {"actions": null, "messagesPerCustomer": null, "money": []},
          "rules": [],
          "signedInWithin": null
        }
      },
      "rules": [
        {
          "approvers": 2,
          "deny": false,
          "notOpener": false,
          "roles": [],
          "when": {
            "actionType": null,
            "amountAtLeast": null,
            "connection": null,
            "movesMoney": null,
            "recordsAtLeast": null,
            "riskAtLeast": null
          }
        }
      ],
      "signedInWithin": null,
      "updatedAt": "2026-01-15T12:00:00.000Z",
      "updatedBy": 2,
      "version": 2
    }
    "#);
    // Sent again by the same user, it neither ends nor begins anew.
    world.api.clock.advance(span::MINUTE);
    assert_eq!(ada.puts(PATH, none()).await, put);
    world
        .executes(&id, &[&action])
        .await
        .expect(202);
    shows!(world.session(&id).await, {"status": "awaiting_confirmation"});
    world
        .api
        .clock
        .advance(span::DAY - span::MINUTE - 1);
    let ada = world.api.sign_in("ada").await;
    assert_eq!(ada.reads(PATH).await["pending"], put["pending"]);
    world.api.clock.advance(1);
    shows!(ada.reads(PATH).await, {"rules": [], "pending": null, "version": 3});
    // Request and effect are in the organization's journal.
    let journal = ada
        .reads("/api/journal?limit=100")
        .await;
    let set = journal.as_array().unwrap().iter();
    let set: Vec<&Value> = set
        .filter(|entry| entry["event"] == "policy_set")
        .collect();
    assert_eq!(set.len(), 3, "{set:?}");
}

#[tokio::test]
async fn another_admin_confirms_a_looser_policy() {
    let (world, ada) = strict().await;
    let sue = world.api.user("sue").await;
    let path = format!("/api/users/{}", sue.id.get());
    patches!(ada, &path, {"role": "admin"});
    // Sue's access is old enough then.
    world.api.clock.advance(span::DAY);
    let [ada, sue] = world.api.sign_ins(["ada", "sue"]).await;
    ada.puts(PATH, none()).await;
    // Whom the first admin made an admin just now is no second one.
    let mia = world.api.user("mia").await;
    patches!(ada, &format!("/api/users/{}", mia.id.get()), {"role": "admin"});
    let mia = world.api.sign_in("mia").await;
    refused!(mia.put(PATH, none()).await => 403, "approver_not_allowed");
    // Other terms are a request of their own, and ended by terms that are not looser.
    let fewer = puts!(sue, PATH, {"caps": null});
    shows!(fewer, {"/pending/by": sue.id(), "/rules/0/approvers": 2});
    let ended = puts!(ada, PATH, {"caps": {"actions": 9}});
    assert_eq!(ended["pending"], Value::Null);
    ada.puts(PATH, none()).await;
    let confirmed = sue.puts(PATH, none()).await;
    shows!(confirmed, {"rules": [], "pending": null, "/caps/actions": null});
}

#[tokio::test]
async fn one_of_two_who_set_the_first_policy_is_told() {
    let (_, [ada]) = Concierge::signed_in(["ada"]).await;
    let only_new = ada.with_header("if-match", "\"0\"");
    let puts = [(); 2].map(|()| only_new.put(PATH, json!({"preset": "billing"})));
    assert_eq!(statuses(&futures::future::join_all(puts).await), [200, 412]);
}

#[tokio::test]
async fn a_preset_excludes_rules_and_a_currency_has_one_cap() {
    let (_, [ada]) = Concierge::signed_in(["ada"]).await;
    let preset = json!({"preset": "billing", "rules": []});
    refused!(ada.put(PATH, preset).await => [("/preset", "combination")]);
    let euros = |minor_units| json!({"minorUnits": minor_units, "currency": "EUR"});
    let caps = json!({"caps": {"money": [euros(1), euros(2)]}});
    refused!(ada.put(PATH, caps).await => [("/caps/money/1/currency", "repeated")]);
    assert_eq!(ada.reads(PATH).await["version"], 0);
}

#[tokio::test]
async fn approving_and_settling_take_a_sign_in_within_the_minutes_of_the_policy() {
    let world = Concierge::start().await;
    let api = &world.api;
    let ada = api.sign_in("ada").await;
    let policy = puts!(ada, PATH, {"signedInWithin": 5});
    assert_eq!(policy["signedInWithin"], 5);
    let session = world.stuck_batch().await;
    let action = world.proposed(&session).await.remove(0);
    let (unknown, sent) = world
        .unknown_and_unsent("cus_503")
        .await;
    let (manual, by_hand) = world.manual_review().await;
    let max = api.user("max").await;
    let old = api.session_of(&max).await;
    api.clock.advance(5 * 60_000);
    let old_approval = json!({"actionIds": [action]});
    let execute = format!("/api/concierge/agent-sessions/{session}/execute");
    let settle = |session: &dyn std::fmt::Display, action: &str| {
        format!("/api/concierge/agent-sessions/{session}/actions/{action}/settle")
    };
    let verdict = json!({"outcome": "done", "note": "The log has it."});
    let requests = [
        (execute, old_approval),
        (settle(&unknown, &sent), verdict.clone()),
        (settle(&manual, &by_hand), verdict),
    ];
    api.clock.advance(1);
    for (path, body) in &requests {
        refused!(old.post(path, body.clone()).await => 403, "sign_in_again");
    }
    let new = api.session_of(&max).await;
    let new = new.with_header("prefer", "respond-async");
    for (path, body) in &requests {
        let answer = new.post(path, body.clone()).await;
        assert!(answer.status < 300, "{path}: {}", answer.text);
    }
}
