//! `DELETE /api/tags/{id}`

use aws_sdk_dynamodb::types::AttributeValue;
use serde_json::json;
use shared::store::upkeep::{CLEANUP_DELAY, CleanupRound, Shard};
use tests::support::{Api, creates, posts};
use tokio::sync::Notify;

/// Lets a record carry tags.
async fn carries(api: &Api, kind: &str, id: i64, tags: &[i64]) {
    let tags = tags
        .iter()
        .map(ToString::to_string)
        .collect();
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
    let sets = rows
        .filter(|row| row.contains(&of_kind))
        .filter_map(|row| {
            let (_, set) = row.split_once("\"tagIds\": ")?;
            Some(
                set.split_once(')')
                    .unwrap()
                    .0
                    .to_owned(),
            )
        });
    sets.collect()
}

#[tokio::test]
async fn a_new_tag_is_attached_at_once_and_gone_once_it_is_deleted() {
    let (_, [max]) = Api::signed_in(["max"]).await;
    let tag = posts!(max, "/api/tags", {"name": "Urgent"});
    assert_eq!(tag, json!({"version": 1, "id": 1, "name": "Urgent"}));
    let activity = max.records_activity(json!({})).await;
    let tags = format!("/api/activities/{activity}/tags");
    posts!(max, &tags, {"tagId": 1});
    max.deletes("/api/tags/1").await;
    max.delete("/api/tags/1")
        .await
        .expect_not_found();
    let renamed = json!({"name": "x"});
    max.patch("/api/tags/1", renamed)
        .await
        .expect_not_found();
    let gone = max
        .post(&tags, json!({"tagId": 1}))
        .await;
    gone.expect_not_found();
    // Its name is free.
    max.creates("/api/tags", json!({"name": "urgent"}))
        .await;
}

#[tokio::test]
async fn a_deleted_tag_is_taken_off_tasks_and_activities() {
    let (api, [max]) = Api::signed_in(["max"]).await;
    for name in ["urgent", "late"] {
        creates!(max, "/api/tags", {"name": name});
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
    max.deletes("/api/tags/1").await;
    assert_eq!(api.cleans_up().await, 1);
    for kind in ["task", "activity"] {
        let carried_tags = carried(&api, kind).await;
        assert_eq!(carried_tags, [r#"Ns(["2"]"#, r#"Ns(["2"]"#], "{kind}");
    }
    let left = api.records().await;
    assert!(
        !left
            .iter()
            .any(|row| row.contains("cleanup"))
    );
}

/// A round ends after 1,000 rows; the next one goes on where it stood, in another run if need be.
#[tokio::test]
async fn a_long_walk_keeps_its_place_between_rounds() {
    let (api, [max]) = Api::signed_in(["max"]).await;
    for name in ["urgent", "late"] {
        creates!(max, "/api/tags", {"name": name});
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
    max.deletes("/api/tags/1").await;
    api.clock.advance(CLEANUP_DELAY);
    let store = api.store_of("sweeper");
    let cleanups = store.cleanups();
    let shard = Shard::of(api.home.id);
    let round_done = Notify::new();
    tokio::select! {
        done = cleanups.run_due(shard, |_, _| round_done.notify_one()) => panic!("{done:?}"),
        () = round_done.notified() => {}
    }
    assert_eq!(carried(&api, "task").await.len(), 2);
    let mut rounds = Vec::new();
    let run = cleanups.run_due(shard, |_, progress| rounds.push(progress.unwrap()));
    run.await.unwrap();
    let goes_on = CleanupRound::GoesOn;
    let finished = CleanupRound::Finished;
    // The rest of tasks, then activities, service requests and tickets.
    assert_eq!(rounds, [goes_on, goes_on, goes_on, goes_on, finished]);
    assert_eq!(carried(&api, "task").await, [""; 0]);
    assert_eq!(carried(&api, "activity").await, [""; 0]);
    assert_eq!(api.cleans_up().await, 0);
}
