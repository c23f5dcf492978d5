//! Approvers, by records besides the policy. The crate `agent` has the matrix of risk, amount, role
//! and opener.

use serde_json::{Value, json};
use shared::{
    auth::password,
    model::{
        base::{Id, UserId},
        people::User,
    },
    store::base::WriteContext,
};
use tests::support::{Answer, Caller, Concierge, OidcProvider, creates, patches, puts, refused};

async fn executes(caller: &Caller, session: &Value, action: &str) -> Answer {
    let caller = caller
        .clone()
        .with_header("prefer", "respond-async");
    let path = format!("/api/concierge/agent-sessions/{session}/execute");
    caller
        .post(&path, json!({"actionIds": [action]}))
        .await
}

/// A user who chooses the record is no second pair of eyes.
#[tokio::test]
async fn who_recorded_the_alert_does_not_approve_for_another() {
    let (world, [ada, sue]) = Concierge::signed_in(["ada", "sue"]).await;
    world
        .has_policy(json!({"rules": [{"notOpener": true}]}))
        .await;
    let alert = creates!(world.max, "/api/concierge/alerts", {
        "source": "billing-monitor", "externalId": "stuck-ub_1001",
        "signalType": "usage_batch_stuck", "severity": "error", "title": "It is stuck",
        "targetSystem": "billing", "entities": [{"type": "usage_batch", "id": "ub_1001"}],
    });
    let (id, action) = world.proposed_by(&sue, alert).await;
    refused!(executes(&world.max, &id, &action).await => 403, "approver_not_allowed");
    let open = "/api/concierge/agent-sessions?open=true";
    for (caller, may_approve) in [(&world.max, false), (&ada, true)] {
        let row = caller.reads(open).await[0].clone();
        assert_eq!(row["proposedActions"][0]["mayApprove"], may_approve);
    }
    executes(&ada, &id, &action)
        .await
        .expect(202);
}

/// Signs a user in, as the account is now.
async fn signs_in(world: &Concierge, user: UserId) -> Caller {
    let store = world.store_beside().await;
    let user = store
        .directory()
        .user(world.api.home.id, user)
        .await;
    world
        .api
        .session_of(&user.unwrap())
        .await
}

/// Whoever made or changed an account, or knows its password, could sign in as its user.
#[tokio::test]
async fn an_account_in_the_hands_of_another_is_no_second_approver_for_a_day() {
    let (world, [ada]) = Concierge::signed_in(["ada"]).await;
    world
        .has_policy(json!({"rules": [{"approvers": 2}]}))
        .await;
    let id = world.stuck_batch().await;
    let action = world.proposed(&id).await.remove(0);
    executes(&world.max, &id, &action)
        .await
        .expect(202);
    let may = json!(["execute_agent_remediation"]);
    world.permits("vic", may.clone()).await;
    let mut users = vec![creates!(ada, "/api/users", {
        "username": "nia", "fullName": "Nia Adeyemi", "role": "manager",
        "password": "four words of your own",
    })];
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
    let session = executes(&ada, &id, &action)
        .await
        .expect(202)["session"]
        .clone();
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
    let (id, action) = world
        .batch_proposed_by(&ada, "ub_1002")
        .await;
    let sue = signs_in(&world, sue).await;
    executes(&sue, &id, &action)
        .await
        .expect(202);
}

/// The session of a bound user by the provider.
async fn signs_in_by(world: &Concierge, provider: &OidcProvider, name: &str) -> Caller {
    let nobody = world.api.anonymous();
    let person = json!({"sub": format!("sub-{name}")});
    let answer = provider.signs_in(&nobody, person).await;
    assert_eq!(answer.header("location"), Some("/#/tasks"));
    nobody.with_cookie(answer.session())
}

/// An admin who sets the provider could sign in by it as the second approver.
#[tokio::test]
async fn whoever_sets_the_provider_is_no_second_approver_by_it() {
    let (world, [ada]) = Concierge::signed_in(["ada"]).await;
    let not_opener = json!({"rules": [{"notOpener": true}]});
    world.has_policy(not_opener).await;
    let provider = OidcProvider::start(&world.api.clock).await;
    ada.puts("/api/organizations/1/sign-in", provider.put(&json!({})))
        .await;
    world
        .api
        .is_bound("max", &provider.issuer)
        .await;
    let max = signs_in_by(&world, &provider, "max").await;
    let (id, action) = world
        .batch_proposed_by(&ada, "ub_1001")
        .await;
    refused!(executes(&max, &id, &action).await => 403, "approver_not_allowed");
    // Without a rule on openers, the provider of the opener's choice gives no other role either.
    world
        .has_policy(json!({"rules": [{"roles": ["manager"]}]}))
        .await;
    refused!(executes(&max, &id, &action).await => 403, "approver_not_allowed");
    // A session of a provider that was removed since approves nothing.
    ada.deletes("/api/organizations/1/sign-in")
        .await;
    refused!(executes(&max, &id, &action).await => 403, "sign_in_again");
}

/// A provider that was set long ago makes no account fresh. Neither does a change without a new
/// secret.
#[tokio::test]
async fn a_user_of_a_provider_of_long_ago_approves() {
    let (world, [ada]) = Concierge::signed_in(["ada"]).await;
    let sign_in = "/api/organizations/1/sign-in";
    let provider = OidcProvider::start(&world.api.clock).await;
    ada.puts(sign_in, provider.put(&json!({})))
        .await;
    world
        .api
        .is_bound("max", &provider.issuer)
        .await;
    world.api.clock.advance(User::FRESH);
    let ada = world.api.sign_in("ada").await;
    puts!(ada, sign_in, {
        "issuer": provider.issuer, "clientId": "workdesk", "groupsClaim": "teams",
    });
    world
        .has_policy(json!({"rules": [{"notOpener": true}]}))
        .await;
    let (id, action) = world
        .batch_proposed_by(&ada, "ub_1001")
        .await;
    let max = signs_in_by(&world, &provider, "max").await;
    executes(&max, &id, &action)
        .await
        .expect(202);
    // The journal names the session as its user sees it.
    let sessions = max.reads("/api/auth/sessions").await;
    let current = sessions
        .as_array()
        .unwrap()
        .iter()
        .find(|session| session["current"] == true);
    let journal = max
        .walk(&format!("/api/concierge/agent-sessions/{id}/journal"))
        .await;
    let approved = journal
        .iter()
        .find(|entry| entry["what"] == "approved");
    let expected = json!({"method": "oidc", "sessionId": current.unwrap()["id"]});
    assert_eq!(approved.unwrap()["detail"]["signIn"], expected);
}
