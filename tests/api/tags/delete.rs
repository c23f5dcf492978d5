//! `DELETE /api/tags/{id}`

use aws_sdk_dynamodb::types::AttributeValue;
use serde_json::json;
use shared::store::{CLEANUP_DELAY, Progress, Shard};
use tokio::sync::Notify;

use tests::support::Api;

/// Lets a record carry tags.
async fn carries(api: &Api, kind: &str, id: i64, tags: &[i64]) {
    let tags = tags.iter().map(ToString::to_string).collect();
    let update = api
        .client
        .update_item()
        .table_name(&api.table)
        .key("pk", AttributeValue::S(format!("ORG#1#{kind}")))
        .key("sk", AttributeValue::S(format!("{id:016}")))
        .update_expression("ADD tagIds :tags")
        .expression_attribute_values(":tags", AttributeValue::Ns(tags));
    update.send().await.unwrap();
}

/// The sets of tags that records of a kind carry.
async fn carried(api: &Api, kind: &str) -> Vec<String> {
    let rows = api.records().await.into_iter();
    let of_kind = format!("\"kind\": S(\"{kind}\")");
    let sets = rows.filter(|row| row.contains(&of_kind)).filter_map(|row| {
        let (_, set) = row.split_once("\"tagIds\": ")?;
        Some(set.split_once(')').unwrap().0.to_owned())
    });
    sets.collect()
}

#[tokio::test]
async fn a_deleted_tag_is_gone_and_its_name_free() {
    let (_, [max]) = Api::signed_in(["max"]).await;
    max.creates("/api/tags", json!({"name": "Urgent"})).await;
    max.delete("/api/tags/1").await.expect(204);
    max.delete("/api/tags/1")
        .await
        .expect_problem(404, "not_found");
    max.patch("/api/tags/1", json!({"name": "x"}))
        .await
        .expect(404);
    let activity = max.records_activity(json!({})).await;
    let tags = format!("/api/activities/{activity}/tags");
    max.post(&tags, json!({"tagId": 1})).await.expect(404);
    max.creates("/api/tags", json!({"name": "urgent"})).await;
}

#[tokio::test]
async fn a_deleted_tag_is_taken_off_tasks_and_activities() {
    let (api, [max]) = Api::signed_in(["max"]).await;
    for name in ["urgent", "late"] {
        max.creates("/api/tags", json!({"name": name})).await;
    }
    for _ in 0..3 {
        max.creates_task(json!({})).await;
        max.records_activity(json!({})).await;
    }
    for kind in ["TASK", "ACTIVITY"] {
        carries(&api, kind, 1, &[1]).await;
        carries(&api, kind, 2, &[1, 2]).await;
        carries(&api, kind, 3, &[2]).await;
    }
    max.delete("/api/tags/1").await.expect(204);
    assert_eq!(api.cleans_up().await, 1);
    for kind in ["task", "activity"] {
        assert_eq!(
            carried(&api, kind).await,
            [r#"Ns(["2"]"#, r#"Ns(["2"]"#],
            "{kind}"
        );
    }
    let left = api.records().await;
    assert!(!left.iter().any(|row| row.contains("cleanup")));
}

/// A round ends after 1,000 rows; the next one goes on where it stood, in another run if need be.
#[tokio::test]
async fn a_long_walk_keeps_its_place_between_rounds() {
    let (api, [max]) = Api::signed_in(["max"]).await;
    for name in ["urgent", "late"] {
        max.creates("/api/tags", json!({"name": name})).await;
    }
    let task = max.creates_task(json!({})).await;
    api.copy_tasks(&task, 1..=2_100).await;
    for _ in 0..3 {
        max.records_activity(json!({})).await;
    }
    for (kind, id) in [
        ("TASK", 1),
        ("TASK", 1_500),
        ("TASK", 2_101),
        ("ACTIVITY", 1),
        ("ACTIVITY", 3),
    ] {
        carries(&api, kind, id, &[1]).await;
    }
    max.delete("/api/tags/1").await.expect(204);
    api.clock.advance(CLEANUP_DELAY);
    let store = api.store_of("sweeper");
    let cleanups = store.cleanups();
    let (shard, told) = (Shard::of(api.home.id), Notify::new());
    tokio::select! {
        done = cleanups.run_due(shard, |_, _| told.notify_one()) => panic!("{done:?}"),
        () = told.notified() => {}
    }
    assert_eq!(carried(&api, "task").await.len(), 2);
    let mut rounds = Vec::new();
    let run = cleanups.run_due(shard, |_, progress| rounds.push(progress.unwrap()));
    run.await.unwrap();
    let (goes_on, finished) = (Progress::GoesOn, Progress::Finished);
    assert_eq!(rounds, [goes_on, goes_on, finished]);
    assert_eq!(carried(&api, "task").await, [""; 0]);
    assert_eq!(carried(&api, "activity").await, [""; 0]);
    assert_eq!(api.cleans_up().await, 0);
}
