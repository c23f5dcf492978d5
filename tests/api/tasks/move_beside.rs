//! `POST /api/tasks/{id}/move`

use serde_json::{Value, json};

use tests::support::{Api, Caller, shows};

async fn moves(caller: &Caller, id: i64, to: Value) -> Value {
    let path = format!("/api/tasks/{id}/move");
    caller.post(&path, to).await.expect(200)
}

async fn sequence(caller: &Caller) -> Vec<i64> {
    caller.get("/api/projects/1/tasks").await.ids()
}

#[tokio::test]
async fn a_task_is_moved_beside_another_one() {
    let (_, [mia]) = Api::signed_in(["mia"]).await;
    mia.creates_tasks(["a", "b", "c", "d"]).await;
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
    let others = mia.get("/api/projects/1/tasks").await.expect(200);
    let versions = others.as_array().unwrap().iter();
    let versions: Vec<&Value> = versions.map(|task| &task["version"]).collect();
    assert_eq!(versions, [3, 2, 3, 1]);
}

#[tokio::test]
async fn a_moved_task_gets_a_status_and_is_answered_whole() {
    let (api, [mia]) = Api::signed_in(["mia"]).await;
    mia.creates_tasks(["a", "b"]).await;
    api.clock.advance(1_000);
    let answer = mia
        .post("/api/tasks/1/move", json!({"after": 2, "status": "done"}))
        .await;
    assert_eq!(answer.header("etag"), Some("\"2\""));
    let moved = answer.expect(200);
    assert_eq!(moved, mia.get("/api/tasks/1").await.expect(200));
    shows!(moved, {"status": "done", "/project/id": 1, "updatedAt": "2026-01-15T12:00:01.000Z"});
    // Its history has the status; a place alone leaves no entry.
    moves(&mia, 1, json!({"before": 2})).await;
    let history = mia.get("/api/tasks/1/history").await.expect(200);
    assert_eq!(history.as_array().unwrap().len(), 2);
}

/// Clients number their tasks 1, 2, 3, so that there is no room.
#[tokio::test]
async fn tasks_get_new_orders_where_there_is_no_room() {
    let (api, [mia]) = Api::signed_in(["mia"]).await;
    let task = mia.creates_task(json!({})).await;
    api.copy_tasks(&task, 1..=249).await;
    for first in [1, 101, 201] {
        let places = (first..first + 100).take_while(|id| *id <= 250);
        let places = places.map(|id| json!({"id": id, "order": id - 1}));
        let places = json!({"tasks": places.collect::<Vec<_>>()});
        mia.patch("/api/tasks/reorder", places).await.expect(204);
    }
    let mut expected: Vec<i64> = (1..=250).collect();
    for (id, to, other, after) in [
        (250, json!({"before": 1}), 1, 0),
        (249, json!({"before": 1}), 1, 0),
        (2, json!({"after": 200}), 200, 1),
    ] {
        moves(&mia, id, to.clone()).await;
        expected.retain(|one| *one != id);
        let place = expected.iter().position(|one| *one == other).unwrap();
        expected.insert(place + after, id);
        assert_eq!(sequence(&mia).await, expected, "{id} {to}");
    }
}

#[tokio::test]
async fn tasks_without_room_for_a_thousand_are_left_alone() {
    let (api, [mia]) = Api::signed_in(["mia"]).await;
    let task = mia.creates_task(json!({})).await;
    api.copy_tasks(&task, 1..=2_199).await;
    for first in (1..=2_200).step_by(100) {
        let places = (first..first + 100).map(|id| json!({"id": id, "order": 5_000}));
        let places = json!({"tasks": places.collect::<Vec<_>>()});
        mia.patch("/api/tasks/reorder", places).await.expect(204);
    }
    // All are at one place. In its middle, neither side has room.
    let refused = mia.post("/api/tasks/1/move", json!({"after": 1_100})).await;
    refused.expect_problem(409, "no_room");
    assert_eq!(sequence(&mia).await[..3], [1, 2, 3]);
    // At its beginning, those before it have some.
    moves(&mia, 1, json!({"after": 2})).await;
    assert_eq!(sequence(&mia).await[..3], [2, 1, 3]);
}

#[tokio::test]
async fn moves_at_the_same_time_lose_no_task() {
    let (_, [mia]) = Api::signed_in(["mia"]).await;
    mia.creates_tasks(["a", "b", "c", "d", "e", "f"]).await;
    for id in 1..=6 {
        let change = json!({"order": id});
        mia.patch(&format!("/api/tasks/{id}"), change)
            .await
            .expect(200);
    }
    let all = (2..=6).map(|id| {
        let mia = &mia;
        async move {
            mia.post(&format!("/api/tasks/{id}/move"), json!({"before": 1}))
                .await
        }
    });
    for answer in futures::future::join_all(all).await {
        assert!([200, 409].contains(&answer.status), "{}", answer.text);
    }
    let mut ids = sequence(&mia).await;
    ids.sort_unstable();
    assert_eq!(ids, [1, 2, 3, 4, 5, 6]);
}

#[tokio::test]
async fn every_fault_of_a_move_is_answered() {
    let (api, [mia, zac]) = Api::signed_in(["mia", "zac"]).await;
    mia.creates_tasks(["a", "b"]).await;
    let elsewhere = mia.creates_task(json!({"projectId": 2})).await["id"].clone();
    let lone = mia
        .post("/api/tasks", json!({"title": "x", "organizationId": 1}))
        .await;
    let lone = lone.expect(200)["id"].clone();
    let vic = api.sign_in("vic").await;
    let foreign = zac.creates_task(json!({"projectId": 3})).await["id"].clone();
    let before = api.table_dump().await;
    for (body, faults) in [
        (json!({}), ("", "required")),
        (json!({"before": 2, "after": 2}), ("/before", "combination")),
        (json!({"before": 1}), ("/before", "combination")),
        (json!({"after": foreign}), ("/after", "unknown")),
        (json!({"after": 99}), ("/after", "unknown")),
        (json!({"after": elsewhere}), ("/after", "project")),
        (json!({"after": 2, "status": "gone"}), ("/status", "value")),
        (json!({"after": "2"}), ("/after", "type")),
    ] {
        let refused = mia.post("/api/tasks/1/move", body).await;
        refused.expect_faults(&[faults]);
    }
    let nowhere = mia
        .post(&format!("/api/tasks/{lone}/move"), json!({"after": 1}))
        .await;
    nowhere.expect_faults(&[("/after", "project")]);
    let unknown = mia.post("/api/tasks/99/move", json!({"after": 1})).await;
    unknown.expect_problem(404, "not_found");
    let strange = zac.post("/api/tasks/1/move", json!({"after": 2})).await;
    strange.expect_problem(404, "not_found");
    let denied = vic.post("/api/tasks/1/move", json!({"after": 2})).await;
    denied.expect_problem(403, "permission_denied");
    assert_eq!(api.table_dump().await, before);
}

/// Clients send the largest number for "to the bottom".
#[tokio::test]
async fn a_task_comes_behind_the_one_with_the_largest_order() {
    const LARGEST: i64 = (1 << 53) - 1;
    let (_, [mia]) = Api::signed_in(["mia"]).await;
    mia.creates_tasks(["a", "b", "c"]).await;
    for (id, order) in [(2, LARGEST), (3, LARGEST - 1)] {
        let change = json!({"order": order});
        mia.patch(&format!("/api/tasks/{id}"), change)
            .await
            .expect(200);
    }
    assert_eq!(sequence(&mia).await, [1, 3, 2]);
    moves(&mia, 1, json!({"after": 2})).await;
    assert_eq!(sequence(&mia).await, [3, 2, 1]);
    moves(&mia, 1, json!({"after": 3})).await;
    assert_eq!(sequence(&mia).await, [3, 1, 2]);
    // New tasks, too.
    for expected in [&[3, 1, 2, 4][..], &[3, 1, 2, 4, 5]] {
        mia.patch("/api/tasks/2", json!({"order": LARGEST})).await;
        let last = expected.last().unwrap();
        let order = json!({"tasks": [{"id": expected[expected.len() - 2], "order": LARGEST}]});
        mia.patch("/api/tasks/reorder", order).await.expect(204);
        assert_eq!(mia.creates_task(json!({})).await["id"], *last);
        assert_eq!(sequence(&mia).await, expected);
    }
}

#[tokio::test]
async fn a_new_task_finds_no_room_behind_many_at_the_end() {
    const LARGEST: i64 = (1 << 53) - 1;
    let (api, [mia]) = Api::signed_in(["mia"]).await;
    let task = mia.creates_task(json!({})).await;
    api.copy_tasks(&task, 1..=120).await;
    for first in [1, 61] {
        let places = (first..first + 60).map(|id| json!({"id": id, "order": LARGEST}));
        let places = json!({"tasks": places.collect::<Vec<_>>()});
        mia.patch("/api/tasks/reorder", places).await.expect(204);
    }
    let before = sequence(&mia).await;
    let refused = mia
        .post("/api/tasks", json!({"title": "x", "projectId": 1}))
        .await;
    refused.expect_problem(409, "no_room");
    assert_eq!(sequence(&mia).await, before);
}
