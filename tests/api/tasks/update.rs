//! `PATCH /api/tasks/{id}`

use serde_json::{Value, json};
use tests::support::{Api, Fault, patches, shows};

#[tokio::test]
async fn a_task_is_linked_to_another_milestone_of_its_project() {
    let (api, [max]) = Api::signed_in(["max"]).await;
    let [phase, ..] = api.has_phases().await;
    let first = max.creates_milestone(json!({})).await;
    let second = max.creates_milestone(json!({})).await;
    max.creates_task(json!({"milestoneId": first}))
        .await;
    let changed = patches!(max, "/api/tasks/1", {
        "milestoneId": second, "phaseId": phase, "assigneeId": max.id(),
    });
    shows!(changed, {"milestoneId": second, "phaseId": phase, "assigneeId": max.id()});
    let tasks_of = async |milestone: i64| {
        let path = format!("/api/milestones/{milestone}");
        max.reads(&path).await["tasks"]
            .as_array()
            .unwrap()
            .len()
    };
    assert_eq!((tasks_of(first).await, tasks_of(second).await), (0, 1));
    patches!(max, "/api/tasks/1", {"milestoneId": null});
    assert_eq!((tasks_of(first).await, tasks_of(second).await), (0, 0));
}

#[tokio::test]
async fn every_reference_of_a_change_must_fit() {
    let (api, [max, zoe]) = Api::signed_in(["max", "zoe"]).await;
    let [phase_of_1, phase_of_2, phase_of_3] = api.has_phases().await;
    let milestone_of_1 = max.creates_milestone(json!({})).await;
    let milestone_of_2 = max
        .creates_milestone(json!({"projectId": 2}))
        .await;
    let milestone_of_3 = zoe
        .creates_milestone(json!({"projectId": 3}))
        .await;
    max.creates_task(json!({})).await;
    let body = json!({"title": "Buy stamps", "organizationId": 1});
    max.posts("/api/tasks", body).await;
    let before = api.table_dump().await;
    let of_project = vec![("/milestoneId", "project"), ("/phaseId", "project")];
    for (task, body, faults) in [
        (
            1,
            json!({"milestoneId": milestone_of_3, "phaseId": phase_of_3, "assigneeId": zoe.id()}),
            vec![
                ("/milestoneId", "unknown"),
                ("/phaseId", "unknown"),
                ("/assigneeId", "unknown"),
            ],
        ),
        (
            1,
            json!({"milestoneId": milestone_of_2, "phaseId": phase_of_2}),
            of_project.clone(),
        ),
        (
            2,
            json!({"milestoneId": milestone_of_1, "phaseId": phase_of_1}),
            of_project,
        ),
    ] {
        let refused = max
            .patch(&format!("/api/tasks/{task}"), body)
            .await;
        refused.expect_faults(&faults);
    }
    assert_eq!(before, api.table_dump().await);
}

#[tokio::test]
async fn a_link_made_while_the_milestone_is_deleted_is_refused_or_unlinked() {
    let (api, [max]) = Api::signed_in(["max"]).await;
    max.creates_task(json!({})).await;
    for _ in 0..5 {
        let milestone = max.creates_milestone(json!({})).await;
        let path = format!("/api/milestones/{milestone}");
        let link = json!({"title": "x", "projectId": 1, "milestoneId": milestone});
        let (changed, created, deleted) = tokio::join!(
            max.patch("/api/tasks/1", link.clone()),
            max.post("/api/tasks", link),
            max.delete(&path),
        );
        deleted.expect(204);
        for answer in [changed, created] {
            assert!([200, 400].contains(&answer.status), "{}", answer.text);
        }
        let tasks = max.reads("/api/tasks").await;
        for task in tasks.as_array().unwrap() {
            assert_eq!(task["milestoneId"], Value::Null);
        }
    }
    api.cleans_up().await;
    let dump = api.records().await;
    let mut tasks = dump
        .iter()
        .filter(|item| !item.contains("#HISTORY"));
    assert!(!tasks.any(|item| item.contains("milestoneId")));
}

#[tokio::test]
async fn a_milestone_deleted_between_check_and_write_is_not_linked() {
    let (api, faults, [max]) = Api::behind_faults(["max"]).await;
    max.creates_task(json!({})).await;
    for milestone in ["0000000000000001", "0000000000000002"] {
        let id = max.creates_milestone(json!({})).await;
        faults.next(
            "TransactWriteItems",
            Fault::After("ORG#1#MILESTONE", milestone),
        );
        let link = json!({"title": "x", "projectId": 1, "milestoneId": id});
        let answer = if id == 1 {
            max.patch("/api/tasks/1", link).await
        } else {
            max.post("/api/tasks", link).await
        };
        answer.expect_faults(&[("/milestoneId", "unknown")]);
        assert!(faults.are_over());
    }
    let dump = api.records().await;
    let mut tasks = dump
        .iter()
        .filter(|item| !item.contains("#HISTORY"));
    assert!(!tasks.any(|item| item.contains("milestoneId")));
}

#[tokio::test]
async fn a_task_deleted_while_it_is_changed_stays_deleted() {
    let (_, faults, [max]) = Api::behind_faults(["max"]).await;
    let milestone = max.creates_milestone(json!({})).await;
    max.creates_task(json!({})).await;
    faults.next(
        "TransactWriteItems",
        Fault::After("ORG#1#TASK", "0000000000000001"),
    );
    let body = json!({"milestoneId": milestone});
    max.patch("/api/tasks/1", body)
        .await
        .expect_not_found();
    assert!(faults.are_over());
    assert_eq!(max.get("/api/tasks").await.ids(), [0; 0]);
}

#[tokio::test]
async fn changes_at_the_same_time_lose_nothing() {
    let (_, [mia]) = Api::signed_in(["mia"]).await;
    mia.creates_task(json!({})).await;
    let places = json!({"tasks": [{"id": 1, "order": 5}]});
    let (renamed, blocked, place) = tokio::join!(
        mia.patch("/api/tasks/1", json!({"title": "Renamed"})),
        mia.patch("/api/tasks/1", json!({"status": "blocked"})),
        mia.patch("/api/tasks/reorder", places),
    );
    renamed.expect(200);
    blocked.expect(200);
    place.expect(204);
    let listed = mia.reads("/api/projects/1/tasks").await;
    shows!(listed[0], {"title": "Renamed", "status": "blocked", "order": 5});
}
