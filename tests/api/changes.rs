//! `GET /api/changes`

use std::collections::BTreeSet;

use serde_json::{Value, json};
use shared::model::base::span;
use tests::support::{
    Answer, Api, Caller, Concierge, MOST_PAGES, creates, patches, shows, snapshot,
    webhooks::Receiver,
};

/// The types and ids of an answer's entries, with what became of the records.
fn told(answer: &Answer) -> Vec<Value> {
    let entries = answer.expect(200);
    let entries = entries.as_array().unwrap().iter();
    entries
        .map(|entry| json!([entry["type"], entry["recordId"], entry["action"]]))
        .collect()
}

/// The path of the next page, which there always is.
fn next(answer: &Answer) -> String {
    answer.next().unwrap().to_owned()
}

/// All entries from a path on, and the path that goes on after them.
async fn walk(caller: &Caller, path: &str) -> (Vec<Value>, String) {
    let mut entries = Vec::new();
    let mut path = path.to_owned();
    for _ in 0..MOST_PAGES {
        let answer = caller.get(&path).await;
        path = next(&answer);
        let page = told(&answer);
        if page.is_empty() {
            return (entries, path);
        }
        entries.extend(page);
    }
    panic!("the feed has no end");
}

#[tokio::test]
async fn a_client_that_follows_the_feed_hears_of_each_change_once() {
    let api = Api::start().await;
    let max = api.sign_in("max").await;
    let mia = api.sign_in("mia").await;
    api.publishes().await;
    // It begins now.
    let begin = max.get("/api/changes").await;
    assert!(told(&begin).is_empty());
    let nothing = max.get(&next(&begin)).await;
    assert!(told(&nothing).is_empty());
    mia.creates_task(json!({})).await;
    api.publishes().await;
    patches!(max, "/api/tasks/1", {"title": "Final"});
    api.publishes().await;
    let answer = max.get(&next(&nothing)).await;
    let expected = [json!(["task", 1, "created"]), json!(["task", 1, "updated"])];
    assert_eq!(told(&answer), expected);
    let entries = answer.expect(200);
    let mut updated = entries[1].clone();
    updated["id"].take();
    snapshot!(updated, @r#"
    {
      "action": "updated",
      "actor": {"fullName": "Max Tester", "id": 1, "username": "max"},
      "at": "2026-01-15T12:00:00.000Z",
      "fields": ["title"],
      "id": null,
      "parent": {"recordId": 1, "type": "project"},
      "part": null,
      "recordId": 1,
      "type": "task",
      "version": 2,
      "writeId": "[random]"
    }
    "#);
    assert!(told(&max.get(&next(&answer)).await).is_empty());
}

#[tokio::test]
async fn pages_of_any_size_have_every_entry() {
    let (api, [mia]) = Api::signed_in(["mia"]).await;
    for _ in 0..3 {
        mia.creates_tasks(["a", "b", "c"]).await;
        api.publishes().await;
    }
    let (entries, end) = walk(&mia, "/api/changes?cursor=first").await;
    assert!(entries.len() >= 11, "{entries:?}");
    for limit in [1, 2, 5, 1_000] {
        let path = format!("/api/changes?cursor=first&limit={limit}");
        assert_eq!(walk(&mia, &path).await.0, entries, "{limit}");
    }
    mia.creates_task(json!({})).await;
    api.publishes().await;
    assert_eq!(walk(&mia, &end).await.0, [json!(["task", 10, "created"])]);
}

#[tokio::test]
async fn a_feed_is_filtered_by_type_and_project() {
    let (api, [mia]) = Api::signed_in(["mia"]).await;
    mia.creates_task(json!({"projectId": 2}))
        .await;
    mia.creates_task(json!({})).await;
    creates!(mia, "/api/tasks/1/comments", {"content": "Soon."});
    api.publishes().await;
    let created = |(kind, id): &(&str, i64)| json!([kind, id, "created"]);
    let project = ("project", 2);
    let comment = ("comment", 1);
    let first = ("task", 1);
    let second = ("task", 2);
    for (filter, expected) in [
        ("type=comment", &[comment][..]),
        ("type=task,comment", &[first, second, comment]),
        ("projectId=2", &[project, first, comment]),
        ("type=task&projectId=1", &[second]),
        ("type=task&type=comment&projectId=2", &[first, comment]),
    ] {
        let path = format!("/api/changes?cursor=first&{filter}");
        let expected: Vec<_> = expected.iter().map(created).collect();
        assert_eq!(told(&mia.get(&path).await), expected, "{filter}");
    }
    // A cursor is for one list.
    let other = next(&mia.get("/api/changes?type=task").await).replace("type=task", "type=tag");
    mia.get(&other).await.expect(400);
}

/// A board follows its project, and hears of comments on its tasks and activities.
#[tokio::test]
async fn comments_belong_to_the_project_of_what_they_are_on() {
    let (api, [mia]) = Api::signed_in(["mia"]).await;
    let max = api.sign_in("max").await;
    let with_title = |project: Option<i64>| json!({"title": "x", "projectId": project, "organizationId": api.home.id});
    let task = mia
        .creates("/api/tasks", with_title(Some(2)))
        .await;
    let activity = creates!(mia, "/api/activities", {
        "type": "note", "description": "x", "projectId": 2,
    });
    let home = mia
        .creates("/api/tasks", with_title(None))
        .await;
    let content = json!({"content": "Soon."});
    let mut comments = Vec::new();
    for subject in [
        format!("tasks/{task}"),
        format!("activities/{activity}"),
        format!("tasks/{home}"),
    ] {
        let path = format!("/api/{subject}/comments");
        comments.push((
            path.clone(),
            mia.creates(&path, content.clone())
                .await,
        ));
    }
    api.publishes().await;
    let query = "/api/changes?cursor=first&projectId=2&type=activity,comment";
    let answer = mia.get(query).await;
    let on_task = comments[0].1;
    let on_activity = comments[1].1;
    let mut expected = vec![
        json!(["activity", activity, "created"]),
        json!(["comment", on_task, "created"]),
        json!(["comment", on_activity, "created"]),
    ];
    assert_eq!(told(&answer), expected);
    let project = json!({"type": "project", "recordId": 2});
    assert_eq!(answer.expect(200)[0]["parent"], project);
    for (path, comment) in &comments {
        patches!(mia, "{path}/{comment}", {"content": "Now."});
        mia.deletes(&format!("{path}/{comment}"))
            .await;
    }
    max.deletes(&format!("/api/tasks/{task}"))
        .await;
    api.cleans_up().await;
    api.publishes().await;
    for comment in [on_task, on_activity] {
        expected.push(json!(["comment", comment, "updated"]));
        expected.push(json!(["comment", comment, "deleted"]));
    }
    let mut seen = told(&mia.get(query).await);
    seen.retain(|entry| expected.contains(entry));
    seen.dedup();
    assert_eq!(seen.len(), expected.len(), "{seen:?}");
}

#[tokio::test]
async fn a_cursor_expires_when_entries_after_it_may_have() {
    let (api, [user]) = Api::with_users(["mia"]).await;
    let mia = api.session_of(&user).await;
    api.publishes().await;
    let mut followed = next(&mia.get("/api/changes").await);
    let left = next(
        &mia.get("/api/changes?cursor=first&limit=1")
            .await,
    );
    for _ in 0..3 {
        api.clock.advance(10 * span::DAY);
        followed = next(
            &api.session_of(&user)
                .await
                .get(&followed)
                .await,
        );
    }
    let mia = api.session_of(&user).await;
    mia.get(&left)
        .await
        .expect_problem(410, "cursor_expired");
    let oldest = mia
        .get("/api/changes?cursor=first")
        .await;
    assert!(told(&oldest).is_empty());
    // A client that kept asking misses nothing, though the feed starts again.
    mia.creates_task(json!({})).await;
    api.publishes().await;
    let created = [json!(["task", 1, "created"])];
    assert_eq!(told(&mia.get(&followed).await), created);
    assert_eq!(told(&mia.get(&next(&oldest)).await), created);
}

#[tokio::test]
async fn an_empty_answer_is_within_its_budget() {
    let (api, [mia]) = Api::signed_in(["mia"]).await;
    api.publishes().await;
    let begin = mia.get("/api/changes").await;
    api.counter.take();
    mia.reads(&next(&begin)).await;
    // One more than without a cursor.
    let used = api.counter.take();
    assert_eq!((used.in_sequence, used.total), (2, 4), "{used:?}");
}

/// Changes of the approved actions of a session have one version of the session or none. Their
/// parts tell them apart, in the feed and in webhooks.
#[tokio::test]
async fn changes_of_actions_are_told_apart_by_their_parts() {
    let concierge = Box::pin(Concierge::start()).await;
    let api = &concierge.api;
    let max = &concierge.max;
    let ada = api.sign_in("ada").await;
    let receiver = Receiver::start().await;
    let types = ["agent_session.*"];
    let (webhook, _) = api
        .has_webhook(&ada, &receiver.url, &types)
        .await;
    Box::pin(concierge.approved_message()).await;
    api.publishes().await;
    let of_sessions = "/api/changes?cursor=first&type=agent_session";
    let entries = max.reads(of_sessions).await;
    let identity = |change: &Value| {
        let members = ["type", "recordId", "part", "version", "action"];
        Value::from_iter(members.map(|name| change[name].clone())).to_string()
    };
    let entries = entries.as_array().unwrap();
    let identities: BTreeSet<String> = entries.iter().map(identity).collect();
    let parts = entries
        .iter()
        .filter(|entry| !entry["part"].is_null());
    assert!(parts.clone().count() > 0, "{entries:?}");
    for entry in parts {
        shows!(entry, {"version": null, "fields": ["actions"]});
    }
    assert_eq!(identities.len(), entries.len());
    let deliveries = api.deliveries(&ada, webhook).await;
    let delivered = deliveries
        .iter()
        .map(|delivery| identity(&delivery["change"]));
    assert_eq!(delivered.collect::<BTreeSet<_>>(), identities);
    assert_eq!(deliveries.len(), entries.len());
    api.sends_webhooks().await;
    assert_eq!(receiver.take().await.len(), entries.len());
}
