//! Reads at half the price or none: names of users and projects, and the caller's organization.

use serde_json::json;
use shared::store::{Used, metered, people::PlanChange};
use tests::support::{Api, Caller, Fault, Requests, posts};

async fn units(caller: &Caller, path: &str) -> Used {
    let (answer, used) = metered(caller.get(path)).await;
    answer.expect(200);
    used
}

/// As reads of users and projects that were created a moment ago.
#[tokio::test]
async fn what_an_eventual_read_misses_is_read_again() {
    let (_, faults, [max]) = Api::behind_faults(["max"]).await;
    let task = json!({"assigneeId": max.id()});
    max.creates_task(task).await;
    max.records_activity(json!({"projectId": 1}))
        .await;
    max.creates_milestone(json!({})).await;
    posts!(max, "/api/tasks/1/comments", {"content": "Soon."});

    faults.begin(Requests::Eventual, Fault::Missing);
    for (list, user) in [("tasks", "assignee"), ("activities", "creator")] {
        for of in ["", "/projects/1"] {
            let path = format!("/api{of}/{list}");
            let rows = max.reads(&path).await;
            assert_eq!(rows[0][user]["id"], max.id(), "{path}");
            assert_eq!(rows[0]["project"]["id"], 1, "{path}");
        }
    }
    let comments = max.reads("/api/tasks/1/comments").await;
    assert_eq!(comments[0]["user"]["id"], max.id());
    for list in ["milestones", "phases", "task-counts"] {
        let answer = max
            .get(&format!("/api/projects/1/{list}"))
            .await;
        answer.expect(200);
        let answer = max
            .get(&format!("/api/projects/99/{list}"))
            .await;
        answer.expect(404);
    }
}

#[tokio::test]
async fn what_can_be_deleted_is_read_consistently() {
    let (_, faults, [max]) = Api::behind_faults(["max"]).await;
    max.creates_task(json!({})).await;
    let tag = max
        .creates("/api/tags", json!({"name": "urgent"}))
        .await;
    max.posts("/api/tasks/1/tags", json!({"tagId": tag}))
        .await;
    // All that is read eventually is missing. The tag is not.
    faults.begin(Requests::Eventual, Fault::Missing);
    assert_eq!(max.reads("/api/tasks").await[0]["tags"][0]["id"], tag);
}

#[tokio::test]
async fn the_organization_is_read_once_in_five_seconds() {
    let (api, [max]) = Api::signed_in(["max"]).await;
    let read = async || {
        units(&max, "/api/auth/session")
            .await
            .read_units
    };
    for (later, units) in [(0, "4"), (0, "2"), (4_999, "2"), (1, "4")] {
        api.clock.advance(later);
        assert_eq!(read().await.to_string(), units, "{later}");
    }
}

#[tokio::test]
async fn a_plan_that_is_taken_away_holds_five_seconds_longer() {
    let (api, [max]) = Api::signed_in(["max"]).await;
    let plan = async || max.reads("/api/auth/session").await["planFeatures"].clone();
    assert_eq!(plan().await, json!(["agentAI"]));
    // The operator's program is another process.
    let operator = api.store_beside().await;
    let directory = operator.directory();
    let plan_without = PlanChange {
        features: Some(Vec::new()),
        ..PlanChange::default()
    };
    directory
        .change_plan(api.home.id, plan_without)
        .await
        .unwrap();
    api.clock.advance(4_999);
    assert_eq!(plan().await, json!(["agentAI"]));
    api.clock.advance(1);
    assert_eq!(plan().await, json!([]));
}

#[tokio::test]
async fn a_renamed_organization_is_seen_at_once() {
    let (api, [ada]) = Api::signed_in(["ada"]).await;
    let other = api
        .sign_in("ada")
        .await
        .before(api.other_instances().await);
    let path = "/api/organizations/1";
    ada.reads("/api/auth/session").await;
    other.reads(path).await;
    ada.patches(path, json!({"name": "Renamed"}))
        .await;
    let session = ada.reads("/api/auth/session").await;
    assert_eq!(session["organization"]["name"], "Renamed");
    // Another instance still authenticates by what it has read.
    assert_eq!(other.reads(path).await["name"], "Renamed");
}

#[tokio::test]
async fn a_disabled_user_is_refused_at_once() {
    let (_, [ada, mia]) = Api::signed_in(["ada", "mia"]).await;
    mia.reads("/api/tasks").await;
    let path = format!("/api/users/{}", mia.id());
    ada.patches(&path, json!({"disabled": true}))
        .await;
    mia.get("/api/tasks").await.expect(401);
}
