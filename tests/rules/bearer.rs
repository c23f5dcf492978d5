//! Tokens, as every operation takes them: a script may do what its token names and its owner holds,
//! and nothing else.

use std::collections::{BTreeMap, btree_map::Entry};

use serde_json::{Value, json};
use shared::model::{
    base::span,
    people::{Permission, Role},
};
use tests::support::{Api, Caller, Fault, Operation, Requests, World, refused};

#[tokio::test]
async fn a_token_has_the_permissions_that_it_names_and_no_others() {
    let (api, [ada]) = Api::with_users(["ada"]).await;
    let mut scripts = BTreeMap::new();
    for operation in Operation::of_callers().filter(|operation| operation.takes_tokens()) {
        // Of an operation that needs one permission, and nothing else.
        let need = Value::from(operation.needs()[0]);
        let Ok(permission) = serde_json::from_value::<Permission>(need) else {
            continue;
        };
        if let Entry::Vacant(vacant) = scripts.entry(permission) {
            let mut others = Role::Admin.permissions();
            others.retain(|other| *other != permission);
            let with = api.token_of(&ada, json!({"permissions": [permission]}));
            let without = api.token_of(&ada, json!({"permissions": others}));
            vacant.insert((with.await, without.await));
        }
        let (with, without) = &scripts[&permission];
        refused!(operation.asked_by(with, "1").await => 400, "validation_error");
        refused!(operation.asked_by(without, "1").await => 403, "permission_denied");
    }
    assert!(scripts.len() > 10, "{}", scripts.len());
}

#[tokio::test]
async fn a_token_loses_the_permissions_that_its_owner_loses() {
    let (api, [max]) = Api::with_users(["max"]).await;
    let sent = json!({"permissions": ["delete_task", "view_work"]});
    let script = api.token_of(&max, sent).await;
    refused!(script.get("/api/milestones/1").await => 404, "not_found");
    api.gives_role(&max, Role::Viewer).await;
    let session = script.reads("/api/auth/session").await;
    assert_eq!(session["permissions"], json!(["view_work"]));
    refused!(script.delete("/api/tasks/1").await => 403, "permission_denied");
    // And it has it again with its owner.
    api.gives_role(&max, Role::Admin).await;
    refused!(script.delete("/api/tasks/1").await => 404, "not_found");
    refused!(script.post("/api/tasks", json!({})).await => 403, "permission_denied");
}

#[tokio::test]
async fn operations_on_accounts_money_and_webhooks_take_a_session() {
    let api = Api::start().await;
    let script = api
        .token_of(&api.user("ada").await, json!({}))
        .await;
    let before = api.records().await;
    let mut refused = Vec::new();
    for operation in Operation::of_callers().filter(|operation| !operation.takes_tokens()) {
        let answer = operation.asked_by(&script, "1").await;
        let problem = answer.expect_problem(403, "session_required");
        assert!(
            problem["detail"]
                .as_str()
                .unwrap()
                .contains("session")
        );
        refused.push(operation.name());
    }
    refused.sort();
    let in_session = [
        "DELETE /api/auth/sessions",
        "DELETE /api/auth/sessions/{id}",
        "DELETE /api/concierge/connections/{name}",
        "DELETE /api/invitations/{id}",
        "DELETE /api/organizations/{id}/sign-in",
        "DELETE /api/tokens/{id}",
        "DELETE /api/users/{id}/sessions",
        "DELETE /api/users/{id}/tokens/{tokenId}",
        "DELETE /api/webhooks/{id}",
        "GET /api/auth/sessions",
        "GET /api/invitations",
        "GET /api/organizations/{id}/sign-in",
        "GET /api/tokens",
        "GET /api/users/{id}/sessions",
        "GET /api/users/{id}/tokens",
        "GET /api/webhooks",
        "GET /api/webhooks/{id}",
        "GET /api/webhooks/{id}/deliveries",
        "PATCH /api/webhooks/{id}",
        "POST /api/auth/logout",
        "POST /api/concierge/agent-sessions/{id}/actions/{actionId}/settle",
        "POST /api/concierge/agent-sessions/{id}/execute",
        "POST /api/concierge/connections/{name}/resume",
        "POST /api/concierge/connections/{name}/test",
        "POST /api/concierge/resume",
        "POST /api/invitations",
        "POST /api/invitations/{id}/send",
        "POST /api/organizations/{id}/sign-in/test",
        "POST /api/tokens",
        "POST /api/users",
        "POST /api/webhooks",
        "POST /api/webhooks/{id}/deliveries/{deliveryId}/redeliver",
        "POST /api/webhooks/{id}/rotate-secret",
        "POST /api/webhooks/{id}/test",
        "PUT /api/auth/email",
        "PUT /api/auth/password",
        "PUT /api/concierge/connections/{name}",
        "PUT /api/concierge/policy",
        "PUT /api/notifications/preferences",
        "PUT /api/organizations/{id}/sign-in",
        "PUT /api/users/{id}/password",
    ];
    assert_eq!(refused, in_session);
    assert_eq!(api.records().await, before);
}

/// Each change by a guarding permission takes a session. A token may pull a brake, and change a
/// name.
#[tokio::test]
async fn a_token_lifts_no_brake() {
    let guarding = Permission::ALL
        .iter()
        .filter(|permission| permission.guards());
    let guarding: Vec<_> = guarding
        .map(|permission| permission.name())
        .collect();
    let by_token = Operation::of_callers().filter(|operation| {
        let mut needs = operation.needs().into_iter();
        operation.method != "GET"
            && operation.takes_tokens()
            && needs.any(|need| guarding.contains(&need))
    });
    let by_token: Vec<_> = by_token.map(Operation::name).collect();
    let brakes_and_names = [
        "PATCH /api/organizations/{id}",
        "PATCH /api/users/{id}",
        "POST /api/concierge/agent-sessions/{id}/reject",
        "POST /api/concierge/connections/{name}/pause",
        "POST /api/concierge/pause",
    ];
    assert_eq!(by_token, brakes_and_names);
}

/// Whatever is read below a record shows something of it.
#[test]
fn a_part_asks_for_what_its_record_asks_for() {
    let mut parts = 0;
    let mut lax = Vec::new();
    for record in Operation::reads().filter(|operation| operation.path.ends_with('}')) {
        let below = format!("{}/", record.path);
        let wanted = record.needs();
        for part in Operation::reads().filter(|operation| operation.path.starts_with(&below)) {
            parts += 1;
            let needs = part.needs();
            // Tokens of a user take more than the user.
            let has_more = needs.contains(&"a session");
            if !has_more
                && !wanted
                    .iter()
                    .all(|need| needs.contains(need))
            {
                lax.push(format!("{}: {needs:?}, not {wanted:?}", part.path));
            }
        }
    }
    assert!(parts >= 10, "{parts}");
    assert!(lax.is_empty(), "{lax:?}");
}

/// Scripts whose tokens have ended, by how.
async fn ended(world: &World) -> Vec<(&'static str, Caller)> {
    let api = world.api();
    let directory = api.store.directory();
    let disabled = |user, disabled| directory.disable_user(api.home.id, user, disabled);
    let sue = api.user("sue");
    let mia = api.user("mia");
    let vic = api.user("vic");
    let sue = sue.await;
    let mia = mia.await;
    let vic = vic.await;
    let expires_at = api
        .clock
        .now()
        .plus(span::HOUR)
        .to_string();
    let soon = api
        .token_of(&world.max, json!({"expiresAt": expires_at}))
        .await;
    let (deleted, id) = api
        .token_and_id_of(&world.max, json!({}))
        .await;
    let mut ended_tokens = vec![("is over", soon), ("was deleted", deleted)];
    for (how, user) in [
        ("is of somebody who is disabled", &sue),
        ("is of somebody who was disabled", &mia),
        ("is of somebody with another password", &vic),
    ] {
        ended_tokens.push((how, api.token_of(user, json!({})).await));
    }
    for (how, script) in &ended_tokens {
        let answer = script.get("/api/auth/session").await;
        assert_eq!(answer.status, 200, "before it {how}");
    }
    api.clock.advance(span::HOUR);
    let owner = world.caller().await;
    owner
        .deletes(&format!("/api/tokens/{id}"))
        .await;
    disabled(sue.id, true).await.unwrap();
    for disable in [true, false] {
        disabled(mia.id, disable).await.unwrap();
    }
    let change = directory.change_password(api.home.id, &vic, "".into());
    change.await.unwrap();
    ended_tokens
}

#[tokio::test]
async fn a_token_that_has_ended_is_none() {
    let world = World::start().await;
    let ended = Box::pin(ended(&world)).await;
    let before = world.api().records().await;
    for operation in Operation::of_callers() {
        for (how, script) in &ended {
            let answer = operation.asked_by(script, "1").await;
            let name = operation.name();
            assert_eq!(answer.status, 401, "{name} takes one that {how}");
            answer.expect_problem(401, "unauthenticated");
        }
    }
    for request in world
        .requests()
        .iter()
        .filter(|request| request.needs.is_some())
    {
        for (_, script) in &ended {
            refused!(request.by(script).await => 401, "unauthenticated");
        }
    }
    assert_eq!(world.api().records().await, before);
}

#[tokio::test]
async fn a_malformed_token_costs_no_read_whatever_the_cookie() {
    let (api, [ada]) = Api::signed_in(["ada"]).await;
    let cookie = ada.cookie.clone().unwrap();
    for sent in [
        "Bearer",
        "Bearer ",
        "Bearer wd_",
        "Bearer wd_short",
        "Bearer wd_0_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAB",
        "bearer AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
        "Bearer wd_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAB",
        "Bearer wd_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA wd_AAAA",
    ] {
        let script = api
            .anonymous()
            .with_header("authorization", sent);
        for caller in [script.clone(), script.with_cookie(cookie.as_str())] {
            for operation in Operation::of_callers() {
                refused!(operation.asked_by(&caller, "1").await => 401, "unauthenticated");
            }
        }
    }
    assert_eq!(api.counter.take().total, 0);
    // One that nobody has costs the read that says so.
    let nobodys = format!("wd_{}", "A".repeat(43));
    let script = api.anonymous().with_token(&nobodys);
    refused!(script.with_cookie(cookie).get("/api/tasks").await => 401, "unauthenticated");
    assert_eq!(api.counter.take().total, 1);
    // What is no bearer leaves the cookie to say who calls.
    let basic = ada.with_header("authorization", "Basic YWRhOndvcmtkZXNr");
    basic.reads("/api/tasks").await;
}

#[tokio::test]
async fn with_a_token_the_cookie_is_ignored() {
    let api = Api::start().await;
    let script = api
        .token_of(&api.user("mia").await, json!({}))
        .await;
    let ada = api.sign_in("ada").await;
    for cookie in [ada.cookie.clone().unwrap(), "connect.sid=forged".to_owned()] {
        let both = script.clone().with_cookie(cookie);
        let session = both.reads("/api/auth/session").await;
        assert_eq!(session["user"]["username"], "mia");
        // Nor who sent it along.
        for (name, value) in [
            ("sec-fetch-site", "cross-site"),
            ("origin", "https://evil.example"),
        ] {
            let page = both.clone().with_header(name, value);
            page.creates_task(json!({})).await;
        }
    }
    // Sign-in takes none: it is what it is without.
    let wrong = json!({"username": "mia", "password": "wrong"});
    refused!(script.post("/api/auth/login", wrong).await => 401, "invalid_credentials");
}

#[tokio::test]
async fn a_token_that_names_permissions_deletes_its_owners_requests_only_with_that_one() {
    let (api, [max]) = Api::with_users(["max"]).await;
    let request = api
        .session_of(&max)
        .await
        .raises_request()
        .await;
    let path = format!("/api/service-requests/{request}");
    let narrow = api
        .token_of(&max, json!({"permissions": ["view_work"]}))
        .await;
    refused!(narrow.delete(&path).await => 403, "permission_denied");
    let named = json!({"permissions": ["delete_service_request"]});
    api.token_of(&max, named)
        .await
        .deletes(&path)
        .await;
    let mia = api.user("mia").await;
    let own = api
        .session_of(&mia)
        .await
        .raises_request()
        .await;
    let script = api.token_of(&mia, json!({})).await;
    let path = format!("/api/service-requests/{own}");
    script.deletes(&path).await;
}

#[tokio::test]
async fn a_use_that_cannot_be_noted_is_a_use_all_the_same() {
    let (api, faults, []) = Api::behind_faults([]).await;
    let script = api
        .token_of(&api.user("max").await, json!({}))
        .await;
    for fault in [Fault::Denied, Fault::Throttled] {
        faults.begin(Requests::Of("UpdateItem"), fault);
        script.reads("/api/auth/session").await;
    }
    faults.end();
    for requests in [3, 2] {
        api.counter.take();
        script.reads("/api/auth/session").await;
        assert_eq!(api.counter.take().total, requests);
    }
}
