//! Tokens, as every operation takes them: a script may do what its token names and its owner holds,
//! and nothing else.

use std::collections::{BTreeMap, btree_map::Entry};

use serde_json::{Value, json};
use shared::model::{Permission, Role, span};

use tests::support::{
    Answer, Api, Caller, Fault, Operation, Request, Requests, Settings, World, example, operations,
};

/// Operations that need a caller.
fn of_callers() -> impl Iterator<Item = &'static Operation> {
    operations().iter().filter(|one| !one.needs().is_empty())
}

/// Asks an operation for what it would refuse after 401 and 403, and nothing comes before those.
async fn asked(caller: &Caller, operation: &Operation) -> Answer {
    let sent = (operation.method != "GET").then(|| "{".to_owned());
    let target = format!("{}?x=1", example(&operation.path, "1"));
    caller.send(operation.method, &target, sent).await
}

/// The permission that an operation needs, if it needs one and nothing else would do.
fn permission(operation: &Operation) -> Option<Permission> {
    let need = Value::from(*operation.needs().first()?);
    serde_json::from_value(need)
        .ok()
        .filter(|_| operation.takes_tokens())
}

#[tokio::test]
async fn a_token_has_its_owners_permissions() {
    let api = Api::start().await;
    let mut refused = 0;
    for name in ["vic", "mia", "sue", "max", "ada"] {
        let user = api.user(name).await;
        let script = api.token_of(&user, json!({})).await;
        for operation in of_callers() {
            let Some(permission) = permission(operation) else {
                continue;
            };
            let answer = asked(&script, operation).await;
            if user.may(permission) {
                answer.expect_problem(400, "validation_error");
            } else {
                answer.expect_problem(403, "permission_denied");
                refused += 1;
            }
        }
    }
    assert!(refused > 30, "{refused}");
}

#[tokio::test]
async fn a_token_has_the_permissions_that_it_names_and_no_others() {
    let api = Api::start().await;
    let ada = api.user("ada").await;
    let mut scripts = BTreeMap::new();
    for operation in of_callers() {
        let Some(permission) = permission(operation) else {
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
        asked(with, operation)
            .await
            .expect_problem(400, "validation_error");
        let refused = asked(without, operation).await;
        refused.expect_problem(403, "permission_denied");
    }
    assert!(scripts.len() > 10, "{}", scripts.len());
}

#[tokio::test]
async fn a_token_loses_the_permissions_that_its_owner_loses() {
    let api = Api::start().await;
    let max = api.user("max").await;
    let sent = json!({"permissions": ["delete_task", "view_work"]});
    let script = api.token_of(&max, sent).await;
    let milestone = script.get("/api/milestones/1").await;
    milestone.expect_problem(404, "not_found");
    api.gives_role(&max, Role::Viewer).await;
    let session = script.get("/api/auth/session").await.expect(200);
    assert_eq!(session["permissions"], json!(["view_work"]));
    let answer = script.delete("/api/tasks/1").await;
    answer.expect_problem(403, "permission_denied");
    // And it has it again with its owner.
    api.gives_role(&max, Role::Admin).await;
    script
        .delete("/api/tasks/1")
        .await
        .expect_problem(404, "not_found");
    let answer = script.post("/api/tasks", json!({})).await;
    answer.expect_problem(403, "permission_denied");
}

#[tokio::test]
async fn operations_on_accounts_money_and_webhooks_take_a_session() {
    let api = Api::start().await;
    let script = api.token_of(&api.user("ada").await, json!({})).await;
    let before = api.records().await;
    let mut refused = Vec::new();
    for operation in of_callers().filter(|one| !one.takes_tokens()) {
        let answer = asked(&script, operation).await;
        let problem = answer.expect_problem(403, "session_required");
        assert!(problem["detail"].as_str().unwrap().contains("session"));
        refused.push(format!("{} {}", operation.method, operation.path));
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

/// Each change by a guarding permission takes a session. A token may pull a brake, and change a name.
#[tokio::test]
async fn a_token_lifts_no_brake() {
    let guarding = Permission::ALL.iter().filter(|one| one.guards());
    let guarding: Vec<_> = guarding.map(|one| one.name()).collect();
    let by_token = of_callers().filter(|one| {
        let mut needs = one.needs().into_iter();
        one.method != "GET" && one.takes_tokens() && needs.any(|need| guarding.contains(&need))
    });
    let by_token: Vec<_> = by_token
        .map(|one| format!("{} {}", one.method, one.path))
        .collect();
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
    let reads = || operations().iter().filter(|one| one.method == "GET");
    let (mut parts, mut lax) = (0, Vec::new());
    for record in reads().filter(|one| one.path.ends_with('}')) {
        let below = format!("{}/", record.path);
        for part in reads().filter(|one| one.path.starts_with(&below)) {
            parts += 1;
            let needs = part.needs();
            // Tokens of a user take more than the user.
            let has_more = needs.contains(&"a session");
            if !has_more && !record.needs().iter().all(|need| needs.contains(need)) {
                lax.push(format!(
                    "{}: {:?}, not {:?}",
                    part.path,
                    needs,
                    record.needs()
                ));
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
    let (sue, mia, vic) = (
        api.user("sue").await,
        api.user("mia").await,
        api.user("vic").await,
    );
    let soon = api.clock.now().plus(span::HOUR).to_string();
    let expired = api.token_of(&world.max, json!({"expiresAt": soon})).await;
    let (deleted, id) = api.token_and_id_of(&world.max, json!({})).await;
    let of_disabled = api.token_of(&sue, json!({})).await;
    let of_enabled = api.token_of(&mia, json!({})).await;
    let of_changed = api.token_of(&vic, json!({})).await;
    let all = vec![
        ("is over", expired),
        ("was deleted", deleted),
        ("is of somebody who is disabled", of_disabled),
        ("is of somebody who was disabled", of_enabled),
        ("is of somebody with another password", of_changed),
    ];
    for (how, script) in &all {
        let answer = script.get("/api/auth/session").await;
        assert_eq!(answer.status, 200, "before it {how}");
    }
    api.clock.advance(span::HOUR);
    let owner = world.caller().await;
    let path = format!("/api/tokens/{id}");
    owner.delete(&path).await.expect(204);
    disabled(sue.id, true).await.unwrap();
    for disable in [true, false] {
        disabled(mia.id, disable).await.unwrap();
    }
    let change = directory.change_password(api.home.id, &vic, "".into());
    change.await.unwrap();
    all
}

#[tokio::test]
async fn a_token_that_has_ended_is_none() {
    let world = World::start().await;
    let ended = ended(&world).await;
    let before = world.api().records().await;
    for operation in of_callers() {
        for (how, script) in &ended {
            let answer = asked(script, operation).await;
            let (method, path) = (operation.method, &operation.path);
            assert_eq!(answer.status, 401, "{method} {path} takes one that {how}");
            answer.expect_problem(401, "unauthenticated");
        }
    }
    for request in world.requests().iter().filter(|one| one.needs.is_some()) {
        for (_, script) in &ended {
            request
                .by(script)
                .await
                .expect_problem(401, "unauthenticated");
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
        let script = api.anonymous().with_header("authorization", sent);
        for caller in [script.clone(), script.with_cookie(cookie.as_str())] {
            for operation in of_callers() {
                let answer = asked(&caller, operation).await;
                answer.expect_problem(401, "unauthenticated");
            }
        }
    }
    assert_eq!(api.counter.take().total, 0);
    // One that nobody has costs the read that says so.
    let nobodys = format!("wd_{}", "A".repeat(43));
    let script = api
        .anonymous()
        .with_token(&nobodys)
        .with_cookie(cookie.as_str());
    script
        .get("/api/tasks")
        .await
        .expect_problem(401, "unauthenticated");
    assert_eq!(api.counter.take().total, 1);
    // What is no bearer leaves the cookie to say who calls.
    let basic = ada.with_header("authorization", "Basic YWRhOndvcmtkZXNr");
    basic.get("/api/tasks").await.expect(200);
}

#[tokio::test]
async fn with_a_token_the_cookie_is_ignored() {
    let api = Api::start().await;
    let script = api.token_of(&api.user("mia").await, json!({})).await;
    let ada = api.sign_in("ada").await;
    for cookie in [ada.cookie.clone().unwrap(), "connect.sid=forged".to_owned()] {
        let both = script.clone().with_cookie(cookie);
        let session = both.get("/api/auth/session").await.expect(200);
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
    let answer = script.post("/api/auth/login", wrong).await;
    answer.expect_problem(401, "invalid_credentials");
}

#[tokio::test]
async fn a_token_that_names_permissions_deletes_its_owners_requests_only_with_that_one() {
    let api = Api::start().await;
    let max = api.user("max").await;
    let session = api.session_of(&max).await;
    let request = session.raises_request().await;
    let path = format!("/api/service-requests/{request}");
    let narrow = api
        .token_of(&max, json!({"permissions": ["view_work"]}))
        .await;
    let answer = narrow.delete(&path).await;
    answer.expect_problem(403, "permission_denied");
    let named = json!({"permissions": ["delete_service_request"]});
    let wide = api.token_of(&max, named).await;
    wide.delete(&path).await.expect(204);
    let mia = api.user("mia").await;
    let own = api.session_of(&mia).await.raises_request().await;
    let script = api.token_of(&mia, json!({})).await;
    let path = format!("/api/service-requests/{own}");
    script.delete(&path).await.expect(204);
}

#[tokio::test]
async fn the_agents_operations_need_the_plan_with_a_token_too() {
    let api = Api::start_with(Settings {
        without_agent: true,
        ..Settings::default()
    })
    .await;
    let script = api.token_of(&api.user("ada").await, json!({})).await;
    let with_plan = |one: &&Operation| one.needs().contains(&"plan agentAI") && one.takes_tokens();
    for operation in of_callers().filter(with_plan) {
        let answer = asked(&script, operation).await;
        answer.expect_problem(403, "plan_feature_unavailable");
    }
}

#[tokio::test]
async fn the_records_of_another_organization_are_absent_for_tokens_too() {
    let world = World::start().await;
    let api = world.api();
    let script = api.token_of(&api.user("zoe").await, json!({})).await;
    script.get("/api/auth/session").await.expect(200);
    let before = api.records().await;
    let mut requests = world.requests();
    // What is named by who creates it: another organization has one of its own by that name.
    let makes = "PUT /api/concierge/connections/{name}";
    requests.retain(|request| {
        let names_a_record = request.template.contains('{') && request.operation() != makes;
        request.takes_tokens && names_a_record
    });
    assert!(requests.len() > 20, "{}", requests.len());
    for request in &requests {
        let absent = Request {
            path: example(&request.template, "999"),
            ..request.clone()
        };
        let [there, absent] = [request.by(&script).await, absent.by(&script).await];
        assert!(
            [403, 404].contains(&there.status),
            "{}",
            request.operation()
        );
        assert_eq!(there.status, absent.status, "{}", request.operation());
        assert_eq!(
            there.expect(there.status)["detail"],
            absent.expect(there.status)["detail"]
        );
    }
    assert_eq!(api.records().await, before);
    for request in &requests {
        let answer = request.by(&world.script().await).await;
        assert!(
            answer.status < 300,
            "{}: {}",
            request.operation(),
            answer.text
        );
    }
}

#[tokio::test]
async fn a_use_that_cannot_be_noted_is_a_use_all_the_same() {
    let (api, faults, []) = Api::behind_faults([]).await;
    let script = api.token_of(&api.user("max").await, json!({})).await;
    for fault in [Fault::Denied, Fault::Throttled] {
        faults.begin(Requests::Of("UpdateItem"), fault);
        script.get("/api/auth/session").await.expect(200);
    }
    faults.end();
    for requests in [3, 2] {
        api.counter.take();
        script.get("/api/auth/session").await.expect(200);
        assert_eq!(api.counter.take().total, requests);
    }
}
