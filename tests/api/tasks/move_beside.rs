//! `POST /api/tasks/{id}/move`

use serde_json::{Value, json};
use tests::support::{Api, Caller, patches, refused, shows};

async fn moves(caller: &Caller, id: i64, to: Value) -> Value {
    let path = format!("/api/tasks/{id}/move");
    caller.posts(&path, to).await
}

/// The largest order.
const LARGEST: i64 = (1 << 53) - 1;

/// Sets the same `order` on tasks 1 to `last`.
async fn orders(caller: &Caller, last: i64, order: i64) {
    let ids: Vec<i64> = (1..=last).collect();
    for ids in ids.chunks(100) {
        let places = ids
            .iter()
            .map(|id| json!({"id": id, "order": order}));
        patches!(caller, "/api/tasks/reorder", {"tasks": places.collect::<Vec<_>>()});
    }
}

async fn sequence(caller: &Caller) -> Vec<i64> {
    caller
        .get("/api/projects/1/tasks")
        .await
        .ids()
}

#[tokio::test]
async fn a_task_is_moved_beside_another_one() {
    let (_, [mia]) = Api::signed_in(["mia"]).await;
    mia.creates_tasks(["a", "b", "c", "d"])
        .await;
    for (id, to, expected) in [
        (4, json!({"before": 2}), [1, 4, 2, 3]),
        (1, json!({"after": 3}), [4, 2, 3, 1]),
        (3, json!({"before": 4}), [3, 4, 2, 1]),
        (3, json!({"after": 4}), [4, 3, 2, 1]),
        // Where it is already.
        (3, json!({"before": 2}), [4, 3, 2, 1]),
        (3, json!({"after": 4, "before": null}), [4, 3, 2, 1]),
        (1, json!({"before": 4}), [1, 4, 3, 2]),
    ] {
        moves(&mia, id, to.clone()).await;
        assert_eq!(sequence(&mia).await, expected, "{id} {to}");
    }
    // Of all others, none has changed.
    let others = mia.reads("/api/projects/1/tasks").await;
    let versions = others.as_array().unwrap().iter();
    let versions: Vec<&Value> = versions
        .map(|task| &task["version"])
        .collect();
    assert_eq!(versions, [3, 2, 3, 1]);
}

#[tokio::test]
async fn a_moved_task_gets_a_status_and_is_answered_whole() {
    let (api, [mia]) = Api::signed_in(["mia"]).await;
    mia.creates_tasks(["a", "b"]).await;
    api.clock.advance(1_000);
    let done = json!({"after": 2, "status": "done"});
    let answer = mia
        .post("/api/tasks/1/move", done)
        .await;
    assert_eq!(answer.header("etag"), Some("\"2\""));
    let moved = answer.expect(200);
    assert_eq!(moved, mia.reads("/api/tasks/1").await);
    shows!(moved, {"status": "done", "/project/id": 1, "updatedAt": "2026-01-15T12:00:01.000Z"});
    // Its history has the status; a place alone leaves no entry.
    moves(&mia, 1, json!({"before": 2})).await;
    let history = mia.reads("/api/tasks/1/history").await;
    assert_eq!(history.as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn tasks_without_room_for_a_thousand_are_left_alone() {
    let (api, [mia]) = Api::signed_in(["mia"]).await;
    let task = mia.creates_task(json!({})).await;
    api.copy_tasks(&task, 1..=2_199).await;
    orders(&mia, 2_200, 5_000).await;
    // In the middle of their one place, neither side has room.
    refused!(mia.post("/api/tasks/1/move", json!({"after": 1_100})).await => 409, "no_room");
    assert_eq!(sequence(&mia).await[..3], [1, 2, 3]);
    // At its beginning, those before it have some.
    moves(&mia, 1, json!({"after": 2})).await;
    assert_eq!(sequence(&mia).await[..3], [2, 1, 3]);
}

#[tokio::test]
async fn moves_at_the_same_time_lose_no_task() {
    let (_, [mia]) = Api::signed_in(["mia"]).await;
    mia.creates_tasks(["a", "b", "c", "d", "e", "f"])
        .await;
    for id in 1..=6 {
        patches!(mia, "/api/tasks/{id}", {"order": id});
    }
    let moves = async |id: i64| {
        let path = format!("/api/tasks/{id}/move");
        mia.post(&path, json!({"before": 1}))
            .await
    };
    for answer in futures::future::join_all((2..=6).map(moves)).await {
        assert!([200, 409].contains(&answer.status), "{}", answer.text);
    }
    let mut ids = sequence(&mia).await;
    ids.sort_unstable();
    assert_eq!(ids, [1, 2, 3, 4, 5, 6]);
}

/// Beside the bounds that the document states.
#[tokio::test]
async fn every_fault_of_a_move_is_answered() {
    let (api, [mia, zac]) = Api::signed_in(["mia", "zac"]).await;
    mia.creates_tasks(["a", "b"]).await;
    let elsewhere = mia
        .creates_task(json!({"projectId": 2}))
        .await["id"]
        .clone();
    let body = json!({"title": "x", "organizationId": 1});
    let lone = mia.creates("/api/tasks", body).await;
    let foreign = zac
        .creates_task(json!({"projectId": 3}))
        .await["id"]
        .clone();
    let before = api.table_dump().await;
    for (id, body, fault) in [
        (1, json!({}), ("", "required")),
        (
            1,
            json!({"before": 2, "after": 2}),
            ("/before", "combination"),
        ),
        (1, json!({"before": 1}), ("/before", "combination")),
        (1, json!({"after": foreign}), ("/after", "unknown")),
        (1, json!({"after": 99}), ("/after", "unknown")),
        (1, json!({"after": elsewhere}), ("/after", "project")),
        (lone, json!({"after": 1}), ("/after", "project")),
    ] {
        refused!(mia.post(&format!("/api/tasks/{id}/move"), body).await => [fault]);
    }
    assert_eq!(api.table_dump().await, before);
}

/// Clients send the largest number for "to the bottom".
#[tokio::test]
async fn a_task_comes_behind_the_one_with_the_largest_order() {
    let (_, [mia]) = Api::signed_in(["mia"]).await;
    mia.creates_tasks(["a", "b", "c"]).await;
    for (id, order) in [(2, LARGEST), (3, LARGEST - 1)] {
        patches!(mia, "/api/tasks/{id}", {"order": order});
    }
    for (after, expected) in [(2, [3, 2, 1]), (3, [3, 1, 2])] {
        moves(&mia, 1, json!({"after": after})).await;
        assert_eq!(sequence(&mia).await, expected);
    }
}

#[tokio::test]
async fn a_new_task_finds_no_room_behind_many_at_the_end() {
    let (api, [mia]) = Api::signed_in(["mia"]).await;
    let task = mia.creates_task(json!({})).await;
    api.copy_tasks(&task, 1..=120).await;
    orders(&mia, 120, LARGEST).await;
    let before = sequence(&mia).await;
    refused!(mia.post("/api/tasks", json!({"title": "x", "projectId": 1})).await => 409, "no_room");
    assert_eq!(sequence(&mia).await, before);
}
