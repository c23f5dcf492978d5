//! Cells: the tokens and sessions of one are none in another, also where both know the same secrets
//! and table.

use serde_json::json;
use shared::model::people::{Sid, User, digest};
use tests::{
    records,
    support::{Api, Caller, Gateway, Operation, PASSWORD, posts, refused, set, text, text_of},
};

/// The statuses of these instances for several callers.
async fn statuses(callers: &[&Caller], instances: &Gateway) -> Vec<u16> {
    let mut statuses = Vec::new();
    for caller in callers {
        let caller = (*caller)
            .clone()
            .before(instances.clone());
        let answer = caller.get("/api/auth/session").await;
        if answer.status != 200 {
            answer.expect_problem(401, "unauthenticated");
        }
        statuses.push(answer.status);
    }
    statuses
}

/// Signs mia in before these instances, and makes a token.
async fn of(api: &Api, instances: &Gateway) -> (Caller, Caller, String) {
    let nobody = api
        .anonymous()
        .before(instances.clone());
    let body = json!({"username": "mia", "password": PASSWORD});
    let answer = nobody
        .post("/api/auth/login", body)
        .await;
    answer.expect(200);
    let cookie = answer
        .cookie()
        .split(';')
        .next()
        .unwrap();
    let session = nobody.clone().with_cookie(cookie);
    let created = posts!(session, "/api/tokens", {"name": "export"});
    let token = created["token"]
        .as_str()
        .unwrap()
        .to_owned();
    (session, nobody.with_token(&token), token)
}

#[tokio::test]
async fn tokens_and_sessions_are_of_the_cell_that_made_them() {
    let (api, _) = Api::with_users(["mia"]).await;
    let first = api.other_instances().await;
    let other = api.instances_of_cell("eu1").await;
    let (session, script, token) = of(&api, &first).await;
    assert_eq!(token.len(), "wd_".len() + 43);
    assert_eq!(statuses(&[&session, &script], &first).await, [200, 200]);
    assert_eq!(statuses(&[&session, &script], &other).await, [401, 401]);
    let (session, script, token) = of(&api, &other).await;
    assert!(token.starts_with("wd_eu1_"), "{token}");
    assert!(
        session
            .cookie
            .as_ref()
            .unwrap()
            .contains("=s%3Aeu1.")
    );
    assert_eq!(statuses(&[&session, &script], &other).await, [200, 200]);
    assert_eq!(statuses(&[&session, &script], &first).await, [401, 401]);
    // A new password renews the session in its cell.
    let change = json!({"currentPassword": PASSWORD, "newPassword": "four words of mia's own"});
    let renewed = session
        .put("/api/auth/password", change)
        .await;
    renewed.expect(204);
    let renewed = session.with_cookie(
        renewed
            .cookie()
            .split(';')
            .next()
            .unwrap(),
    );
    assert_eq!(statuses(&[&renewed], &other).await, [200]);
    assert_eq!(statuses(&[&renewed], &first).await, [401]);
}

#[tokio::test]
async fn those_of_another_cell_are_plain_401_and_cost_no_read() {
    let (api, [user]) = Api::with_users(["mia"]).await;
    let session = api.session_of(&user).await;
    let script = api.token_of(&user, json!({})).await;
    let other = api.instances_of_cell("eu1").await;
    let before = api.records().await;
    api.counter.take();
    for caller in [session, script] {
        let caller = caller.before(other.clone());
        for operation in Operation::of_callers() {
            refused!(operation.asked_by(&caller, "1").await => 401, "unauthenticated");
        }
    }
    assert_eq!(api.counter.take().total, 0);
    assert_eq!(api.records().await, before);
}

#[tokio::test]
async fn those_that_name_cell_0_are_of_it() {
    let (api, [user]) = Api::with_users(["mia"]).await;
    let session = named_session(&api, &user).await;
    let named = [&session, &named_token(&api, &user).await];
    let first = api.other_instances().await;
    let other = api.instances_of_cell("eu1").await;
    assert_eq!(statuses(&named, &first).await, [200, 200]);
    assert_eq!(statuses(&named, &other).await, [401, 401]);
    // The session goes on under the same id, and ends as any other.
    let answer = named[0]
        .post("/api/auth/logout", json!({}))
        .await;
    answer.expect(204);
    assert_eq!(statuses(&named, &first).await, [401, 200]);
}

/// A session whose id names cell 0, as a later release writes it.
async fn named_session(api: &Api, user: &User) -> Caller {
    let now = api.clock.now();
    let plain = Sid::generate(api.store.cell(), user.organization_id, user.id, now);
    let text = format!("0.{plain}");
    let sid = Sid::parse(&text, api.store.cell()).unwrap();
    let sign_in = api.store.sign_in();
    let account = sign_in
        .account(&user.username)
        .await
        .unwrap()
        .unwrap();
    let session = records::session(&sid, user, now);
    sign_in
        .begin(&account, &session, None)
        .await
        .unwrap();
    let cookie = format!("connect.sid={}", api.app.cookie.sign(&text));
    api.anonymous().with_cookie(cookie)
}

/// A token whose text names cell 0: the items of a new one, with another hash.
async fn named_token(api: &Api, user: &User) -> Caller {
    api.token_of(user, json!({})).await;
    let named = format!("wd_0_{}", "A".repeat(43));
    let hash = digest(&named);
    let mut holder = api
        .items_of("token_holder")
        .await
        .remove(0);
    let pk = text_of(&holder, "pk").replace(text_of(&holder, "hash"), &hash);
    set(&mut holder, [("pk", text(&pk)), ("hash", text(&hash))]);
    api.puts([holder]).await;
    api.sets_all("token", [("hash", text(&hash))])
        .await;
    api.anonymous().with_token(&named)
}
