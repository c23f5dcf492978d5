//! `DELETE /api/milestones/{id}`

use serde_json::json;
use tests::support::{Api, Requests};

#[tokio::test]
async fn a_second_delete_finds_nothing() {
    let (_, [max]) = Api::signed_in(["max"]).await;
    max.creates_milestone(json!({})).await;
    max.deletes("/api/milestones/1").await;
    max.delete("/api/milestones/1")
        .await
        .expect_not_found();
    max.get("/api/milestones/1")
        .await
        .expect_not_found();
    assert_eq!(
        max.get("/api/projects/1/milestones")
            .await
            .ids(),
        [0; 0]
    );
}

/// As an index does before it hears of a delete, the list finds a deleted milestone.
#[tokio::test]
async fn a_list_that_still_finds_a_deleted_milestone_is_answered_without_it() {
    let (api, faults, [max]) = Api::behind_faults(["max"]).await;
    let mut tasks = Vec::new();
    for milestone in [1, 2] {
        max.creates_milestone(json!({})).await;
        tasks.push(
            max.creates_task(json!({"milestoneId": milestone}))
                .await,
        );
    }
    // Few tasks are read with the list, and many for each of its milestones.
    for more in [0, 1_000] {
        if more > 0 {
            max.creates_milestone(json!({})).await;
            api.copy_tasks(&tasks[1], 1..=more)
                .await;
        }
        let before = max
            .get("/api/projects/1/milestones")
            .await
            .ids();
        let (gone, left) = before.split_first().unwrap();
        // The list is read beside authentication. What follows asks whether the milestones that were
        // found are still there.
        faults.hold(Requests::Authentication);
        let deletes = async {
            faults.holds(1).await;
            api.loses("ORG#1#MILESTONE", &format!("{gone:016}"))
                .await;
            faults.release();
        };
        let (list, ()) = tokio::join!(max.get("/api/projects/1/milestones"), deletes);
        assert_eq!(list.ids(), left);
    }
}
