//! Approvers, by records besides the policy. The crate `agent` has the matrix of risk, amount, role and opener.

use serde_json::{Value, json};
use shared::{
    auth::password,
    model::{Id, User, UserId},
    store::WriteContext,
};

use tests::support::{Answer, Caller, Concierge, patches, refused};

async fn executes(caller: &Caller, session: &Value, action: &str) -> Answer {
    let caller = caller.clone().with_header("prefer", "respond-async");
    let path = format!("/api/concierge/agent-sessions/{session}/execute");
    caller.post(&path, json!({"actionIds": [action]})).await
}

/// A user who chooses the record is no second pair of eyes.
#[tokio::test]
async fn who_recorded_the_alert_does_not_approve_for_another() {
    let (world, [ada, sue]) = Concierge::signed_in(["ada", "sue"]).await;
    world
        .has_policy(json!({"rules": [{"notOpener": true}]}))
        .await;
    let alert = json!({
        "source": "billing-monitor", "externalId": "stuck-ub_1001",
        "signalType": "usage_batch_stuck", "severity": "error", "title": "It is stuck",
        "targetSystem": "billing", "entities": [{"type": "usage_batch", "id": "ub_1001"}],
    });
    let alert = world.max.creates("/api/concierge/alerts", alert).await;
    let path = format!("/api/concierge/alerts/{alert}/agent-session");
    let id = sue.triggers(&path).await["session"]["id"].clone();
    let action = world.proposed(&id).await.remove(0);
    refused!(executes(&world.max, &id, &action).await => 403, "approver_not_allowed");
    let open = "/api/concierge/agent-sessions?open=true";
    for (caller, may_approve) in [(&world.max, false), (&ada, true)] {
        let row = caller.reads(open).await[0].clone();
        assert_eq!(row["proposedActions"][0]["mayApprove"], may_approve);
    }
    executes(&ada, &id, &action).await.expect(202);
}

/// Signs a user in, as the account is now.
async fn signs_in(world: &Concierge, user: UserId) -> Caller {
    let store = world.store_beside().await;
    let user = store.directory().user(world.api.home.id, user).await;
    world.api.session_of(&user.unwrap()).await
}

/// Whoever made or changed an account, or knows its password, could sign in as its user.
#[tokio::test]
async fn an_account_in_the_hands_of_another_is_no_second_approver_for_a_day() {
    let (world, [ada]) = Concierge::signed_in(["ada"]).await;
    world.has_policy(json!({"rules": [{"approvers": 2}]})).await;
    let id = world.stuck_batch().await;
    let action = world.proposed(&id).await.remove(0);
    executes(&world.max, &id, &action).await.expect(202);
    let may = json!(["execute_agent_remediation"]);
    world.permits("vic", may.clone()).await;
    let nia = json!({
        "username": "nia", "fullName": "Nia Adeyemi", "role": "manager",
        "password": "four words of your own",
    });
    let mut users = vec![ada.creates("/api/users", nia).await];
    for (name, change) in [
        ("sue", json!({"role": "manager"})),
        ("mia", json!({ "permissions": may })),
        ("vic", json!({"disabled": true})),
        ("vic", json!({"disabled": false})),
    ] {
        users.push(world.api.user(name).await.id.get());
        let path = format!("/api/users/{}", users[users.len() - 1]);
        ada.patches(&path, change).await;
    }
    let max = world.api.user("max").await;
    users.push(max.id.get());
    let password = json!({"password": "four other words of yours"});
    let path = format!("/api/users/{}/password", max.id);
    ada.puts(&path, password).await;
    for user in users {
        let user = signs_in(&world, UserId::new(user).unwrap()).await;
        let refused = executes(&user, &id, &action).await;
        let problem = refused.expect_problem(403, "approver_not_allowed");
        let detail = problem["detail"].as_str().unwrap();
        let until = "count from 2026-01-16T12:00:00.000Z on";
        assert!(detail.contains(until), "{detail}");
    }
    // Nor does the approval from before count.
    let session = executes(&ada, &id, &action).await.expect(202)["session"].clone();
    assert_eq!(session["status"], "awaiting_confirmation");
    // A password of the operator is nobody else's.
    let store = world.store_beside().await;
    let hash = password::hash("four words of the operator".into()).await;
    let operator = WriteContext::of_operator(max.organization_id);
    let directory = store.directory();
    let reset = directory.change_password(operator, &max, hash.unwrap());
    reset.await.unwrap();
    let session = executes(&signs_in(&world, max.id).await, &id, &action).await;
    assert_eq!(session.expect(202)["session"]["status"], "executing");
    // A day later, the others count too. Another name alone makes nobody fresh.
    world.api.clock.advance(User::FRESH);
    let sue = world.api.user("sue").await.id;
    let ada = world.api.sign_in("ada").await;
    patches!(ada, "/api/users/{sue}", {"fullName": "Another Name", "disabled": false});
    let alert = world.alert("usage_batch_stuck", &[("usage_batch", "ub_1002")]);
    let path = format!("/api/concierge/alerts/{}/agent-session", alert.await.id);
    let id = ada.triggers(&path).await["session"]["id"].clone();
    let propose = format!("/api/concierge/agent-sessions/{id}/propose");
    let proposed = ada.triggers(&propose).await["session"].clone();
    let action = proposed["proposedActions"][0]["id"].as_str().unwrap();
    let sue = signs_in(&world, sue).await;
    executes(&sue, &id, action).await.expect(202);
}
