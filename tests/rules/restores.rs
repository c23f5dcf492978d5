//! A table of an earlier instant, and a paused deployment.

use serde_json::json;
use shared::{
    model::{
        base::{Id, Timestamp, span},
        people::User,
    },
    store::upkeep::CameBack,
};
use tests::support::{Answer, Api, Caller, Concierge, Item, key_of, refused, shows, text_of};

/// The path of the next page, which there always is.
fn next(answer: &Answer) -> String {
    answer.next().unwrap().to_owned()
}

/// Puts the items of an earlier instant back, and does what the operator does then.
async fn put_back(api: &Api, user: &User, (items, to): (Vec<Item>, Timestamp)) -> CameBack {
    for item in api.items().await {
        api.deletes(&item).await;
    }
    api.puts(items).await;
    let store = api.store_beside().await;
    store
        .tenants()
        .restore_ids(to)
        .await
        .unwrap();
    let tenants = store.tenants();
    let restored = tenants.restored(user.organization_id, to, false);
    restored.await.unwrap()
}

/// A session that the user begins now.
async fn signed_in_again(api: &Api, user: &User) -> Caller {
    let store = api.store_beside().await;
    let user = store
        .directory()
        .user(user.organization_id, user.id)
        .await;
    api.session_of(&user.unwrap()).await
}

#[tokio::test]
async fn nothing_comes_again_after_a_restore_but_what_is_named() {
    let (api, [user]) = Api::with_users(["ada"]).await;
    let ada = api.sign_in("ada").await;
    let (token, id) = api
        .token_and_id_of(&user, json!({}))
        .await;
    api.sign_in("mia").await;
    api.publishes().await;
    let copy = (api.items().await, api.clock.now());
    let to = copy.1;
    api.clock.advance(span::HOUR);
    // Work of the time that is lost: tasks, a client that followed, and a token that was deleted.
    let lost = ada.creates_tasks(["One", "Two"]).await;
    api.publishes().await;
    let cursor = next(&token.get("/api/changes").await);
    ada.deletes(&format!("/api/tokens/{id}"))
        .await;
    let came_back = put_back(&api, &user, copy).await;

    assert!(came_back.is_new);
    let tokens: Vec<i64> = came_back
        .tokens
        .iter()
        .map(|token| token.id.get())
        .collect();
    assert_eq!(tokens, [id.get()]);
    assert!(
        came_back
            .users
            .iter()
            .any(|user| user.username == "mia")
    );
    let changes = came_back
        .changes
        .iter()
        .map(|(_, event, _)| *event);
    assert!(
        changes
            .into_iter()
            .any(|event| event == "token_created")
    );
    refused!(ada.get("/api/tasks").await => 401, "unauthenticated");
    refused!(token.get(&cursor).await => 410, "cursor_expired");
    // Another instance, since that of before reserved ids.
    let token = token.before(api.other_instances().await);
    let task = token.creates_task(json!({})).await["id"]
        .as_i64()
        .unwrap();
    assert!(task > 1_000_000 && !lost.contains(&task), "{task}");
    let pause = token
        .reads("/api/concierge/pause")
        .await;
    shows!(pause, {"paused": true, "reason": "restored", "changedBy": null});
    let entries = token.walk("/api/journal").await;
    let [.., paused, restored] = &entries[..] else {
        panic!("{entries:?}");
    };
    assert_eq!(paused["event"], "agent_paused");
    shows!(restored, {"event": "table_restored", "/actor/type": "operator", "/after/tokens": [id]});
    assert_eq!(token.reads("/api/journal/check").await["verified"], true);

    // The same instant again changes nothing. It ends tokens, if that is wanted then.
    let stack = api.items_of("stack").await.remove(0);
    let name = text_of(&stack, "name");
    let store = api.store_beside().await;
    assert_eq!(
        store
            .tenants()
            .restore_ids(to)
            .await
            .unwrap(),
        name
    );
    let tenants = store.tenants();
    let again = tenants.restored(user.organization_id, to, true);
    assert!(!again.await.unwrap().is_new);
    refused!(token.get("/api/tasks").await => 401, "unauthenticated");
    let begun = signed_in_again(&api, &user).await;
    let mut entries = begun.walk("/api/journal").await;
    entries.retain(|entry| entry["event"] == "table_restored");
    assert_eq!(entries.len(), 1);
    let after = begun.before(api.other_instances().await);
    let next_task = after.creates_task(json!({})).await["id"]
        .as_i64()
        .unwrap();
    assert!(next_task < task + 100, "{next_task}");
}

#[tokio::test]
async fn a_message_of_the_lost_time_is_not_sent_twice() {
    // While the notification system keeps the key, and long after.
    for later in [0, 3 * span::DAY] {
        let world = Concierge::start().await;
        let (session, action) = world.approved_message().await;
        let user = world.api.user("ada").await;
        let copy = (world.api.items().await, world.api.clock.now());
        world.runs(&session, &action).await;
        assert_eq!(world.demo.effects().len(), 1);
        put_back(&world.api, &user, copy).await;
        world.api.clock.advance(later);
        // It waits for the resume.
        world.runs(&session, &action).await;
        let ada = signed_in_again(&world.api, &user).await;
        ada.triggers("/api/concierge/resume")
            .await;
        world.runs(&session, &action).await;
        assert_eq!(world.demo.effects().len(), 1, "{later}");
        if later == 0 {
            let path = format!("/api/concierge/agent-sessions/{session}");
            let results = &ada.reads(&path).await["executionResults"];
            assert_eq!(results[0]["success"], true, "{results}");
        }
    }
}

#[tokio::test]
async fn a_feed_that_is_restarted_has_no_cursor_of_before() {
    let api = Api::start().await;
    let ada = api.sign_in("ada").await;
    let user = api.user("ada").await;
    let before = next(&ada.get("/api/changes").await);
    ada.reads(&before).await;
    let store = api.store_beside().await;
    for _ in 0..2 {
        let old = next(&ada.get("/api/changes").await);
        store
            .feed()
            .restart(user.organization_id)
            .await
            .unwrap();
        ada.get(&old)
            .await
            .expect_problem(410, "cursor_expired");
    }
    ada.get(&before)
        .await
        .expect_problem(410, "cursor_expired");
    let after = next(&ada.get("/api/changes").await);
    ada.creates_task(json!({})).await;
    api.publishes().await;
    let entries = ada.reads(&after).await;
    let mut entries = entries.as_array().unwrap().iter();
    assert!(entries.any(|entry| entry["type"] == "task"));
}

#[tokio::test]
async fn a_change_that_was_set_aside_is_replayed_once() {
    let api = Api::start().await;
    let ada = api.sign_in("ada").await;
    let user = api.user("ada").await;
    let task = ada
        .creates_task(json!({"title": "Zebra"}))
        .await["id"]
        .clone();
    // No consumer hears of it.
    api.changes().await;
    let begin = next(&ada.get("/api/changes").await);
    let item = api.items_of("task").await.remove(0);
    let store = api.store_beside().await;
    let key = key_of(&item);
    let replay = async || {
        let feed = store.feed();
        feed.replay(user.organization_id, &key)
            .await
            .unwrap()
    };
    assert!(replay().await && replay().await);
    let entries = ada.reads(&begin).await;
    assert_eq!(entries.as_array().unwrap().len(), 1, "{entries}");
    shows!(entries[0], {"recordId": task, "action": "created"});
    let rows = ada
        .reads("/api/search?query=zebra")
        .await;
    assert_eq!(rows.as_array().unwrap().len(), 1);
    api.deletes(&item).await;
    assert!(!replay().await);
}

#[tokio::test]
async fn a_paused_deployment_reads_and_writes_nothing() {
    let (api, [ada]) = Api::signed_in(["ada"]).await;
    ada.creates_task(json!({})).await;
    let paused = ada.before(api.paused_instances().await);
    paused.reads("/api/tasks").await;
    let refused = paused
        .post("/api/tasks", json!({}))
        .await;
    refused.expect_problem(503, "paused");
    assert_eq!(refused.header("retry-after"), Some("60"));
    refused!(paused.patch("/api/tasks/1", json!({"title": "Two"})).await => 503, "paused");
    let credentials = json!({"username": "ada", "password": "wrong"});
    let sign_in = api
        .anonymous()
        .before(api.paused_instances().await);
    refused!(sign_in.post("/api/auth/login", credentials).await => 503, "paused");
}
