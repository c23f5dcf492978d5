//! `POST /api/tasks`

use serde_json::json;
use tests::support::{Api, merges, patches, posts, refused, shows, snapshot};

use super::task;

#[tokio::test]
async fn a_new_task_is_to_do_and_null_is_as_good_as_absent() {
    let (_, [mia]) = Api::signed_in(["mia"]).await;
    let unknown = json!({"unknown": "is ignored"});
    let mut expected = mia.creates_task(unknown).await;
    snapshot!(expected, @r#"
    {
      "assignee": null,
      "assigneeId": null,
      "createdAt": "2026-01-15T12:00:00.000Z",
      "description": null,
      "dueDate": null,
      "id": 1,
      "milestone": null,
      "milestoneId": null,
      "order": 1024,
      "organizationId": 1,
      "phaseId": null,
      "priority": "medium",
      "project": {"id": 1, "title": "Billing migration"},
      "projectId": 1,
      "status": "todo",
      "tags": [],
      "title": "Move the invoices",
      "updatedAt": "2026-01-15T12:00:00.000Z",
      "version": 1
    }
    "#);
    let nulls = json!({
        "organizationId": null, "description": null, "status": null, "priority": null,
        "dueDate": null, "milestoneId": null, "phaseId": null, "assigneeId": null,
    });
    merges(&mut expected, &json!({"id": 2, "order": 2048}));
    assert_eq!(mia.creates_task(nulls).await, expected);
}

#[tokio::test]
async fn a_task_keeps_every_field_and_lists_join_what_it_names() {
    let (api, [max]) = Api::signed_in(["max"]).await;
    let [phase, ..] = api.has_phases().await;
    let milestone = max.creates_milestone(json!({})).await;
    let created = posts!(max, "/api/tasks", {
        "title": "Move the invoices", "description": "", "projectId": 1, "organizationId": 1,
        "milestoneId": milestone, "phaseId": phase, "assigneeId": max.id(),
        "status": "in_review", "priority": "urgent", "dueDate": "2026-02-28T12:00:00+02:00",
    });
    snapshot!(created, @r#"
    {
      "assignee": {"fullName": "Max Tester", "id": 1, "username": "max"},
      "assigneeId": 1,
      "createdAt": "2026-01-15T12:00:00.000Z",
      "description": "",
      "dueDate": "2026-02-28T10:00:00.000Z",
      "id": 1,
      "milestone": {"id": 1, "title": "Cut-over"},
      "milestoneId": 1,
      "order": 1024,
      "organizationId": 1,
      "phaseId": 1,
      "priority": "urgent",
      "project": {"id": 1, "title": "Billing migration"},
      "projectId": 1,
      "status": "in_review",
      "tags": [],
      "title": "Move the invoices",
      "updatedAt": "2026-01-15T12:00:00.000Z",
      "version": 1
    }
    "#);
    for path in ["/api/tasks", "/api/projects/1/tasks"] {
        assert_eq!(max.reads(path).await, json!([created]), "{path}");
    }
}

#[tokio::test]
async fn a_task_of_the_organization_has_no_project() {
    let (_, [mia]) = Api::signed_in(["mia"]).await;
    let body = json!({"title": "Buy stamps", "organizationId": 1, "projectId": null});
    for (id, order) in [(1, 1024), (2, 2048)] {
        let task = mia
            .posts("/api/tasks", body.clone())
            .await;
        shows!(task, {"id": id, "projectId": null, "order": order});
    }
    snapshot!(task(&mia, 1).await, @r#"
    {
      "assignee": null,
      "assigneeId": null,
      "createdAt": "2026-01-15T12:00:00.000Z",
      "description": null,
      "dueDate": null,
      "id": 1,
      "milestone": null,
      "milestoneId": null,
      "order": 1024,
      "organizationId": 1,
      "phaseId": null,
      "priority": "medium",
      "project": null,
      "projectId": null,
      "status": "todo",
      "tags": [],
      "title": "Buy stamps",
      "updatedAt": "2026-01-15T12:00:00.000Z",
      "version": 1
    }
    "#);
    assert_eq!(
        mia.get("/api/projects/1/tasks")
            .await
            .ids(),
        [0; 0]
    );
}

#[tokio::test]
async fn a_new_task_has_a_project_or_an_organization() {
    let (api, [mia]) = Api::signed_in(["mia"]).await;
    let before = api.records().await;
    for body in [
        json!({"title": "x"}),
        json!({"title": "x", "projectId": null, "organizationId": null}),
    ] {
        refused!(mia.post("/api/tasks", body).await => [("/projectId", "required")]);
    }
    assert_eq!(before, api.records().await);
}

#[tokio::test]
async fn every_reference_of_a_new_task_must_fit() {
    let (api, [max, zoe]) = Api::signed_in(["max", "zoe"]).await;
    let [_, phase_of_2, phase_of_3] = api.has_phases().await;
    let milestone_of_2 = max
        .creates_milestone(json!({"projectId": 2}))
        .await;
    let milestone_of_3 = zoe
        .creates_milestone(json!({"projectId": 3}))
        .await;
    let before = api.records().await;
    let all_unknown = vec![
        ("/projectId", "unknown"),
        ("/organizationId", "unknown"),
        ("/milestoneId", "unknown"),
        ("/phaseId", "unknown"),
        ("/assigneeId", "unknown"),
    ];
    let of_other_project = vec![("/milestoneId", "project"), ("/phaseId", "project")];
    for (references, faults) in [
        (
            json!({"projectId": 99, "organizationId": 99, "milestoneId": 99, "phaseId": 99, "assigneeId": 99}),
            &all_unknown,
        ),
        (
            json!({"projectId": 3, "organizationId": 2, "milestoneId": milestone_of_3, "phaseId": phase_of_3, "assigneeId": zoe.id()}),
            &all_unknown,
        ),
        (
            json!({"projectId": 1, "milestoneId": milestone_of_2, "phaseId": phase_of_2}),
            &of_other_project,
        ),
        (
            json!({"projectId": null, "organizationId": 1, "milestoneId": milestone_of_2, "phaseId": phase_of_2}),
            &of_other_project,
        ),
    ] {
        let mut body = references;
        body["title"] = json!("x");
        max.post("/api/tasks", body)
            .await
            .expect_faults(faults);
    }
    assert_eq!(before, api.records().await);
}

#[tokio::test]
async fn a_new_task_goes_to_the_end_of_its_project() {
    let (_, [mia]) = Api::signed_in(["mia"]).await;
    mia.creates_task(json!({})).await;
    patches!(mia, "/api/tasks/reorder", {"tasks": [{"id": 1, "order": 5000}]});
    assert_eq!(mia.creates_task(json!({})).await["order"], 6024);
    assert_eq!(
        mia.creates_task(json!({"projectId": 2}))
            .await["order"],
        1024
    );
    // Behind the largest number that a JSON client holds, the tasks before make room.
    patches!(mia, "/api/tasks/reorder", {"tasks": [{"id": 2, "order": 9_007_199_254_740_991_i64}]});
    mia.creates_task(json!({})).await;
    assert_eq!(
        mia.get("/api/projects/1/tasks")
            .await
            .ids(),
        [1, 2, 4]
    );
}
