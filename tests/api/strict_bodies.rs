//! `Prefer: handling=strict`: members of a body that an operation does not read

use serde_json::json;
use tests::support::{Api, refused, shows};

#[tokio::test]
async fn each_unknown_member_is_refused_at_its_place() {
    let (_, [ada]) = Api::signed_in(["ada"]).await;
    ada.creates_task(json!({})).await;
    let strict = ada
        .clone()
        .with_header("prefer", "handling=strict");
    let body = json!({"title": "x", "projectId": 1, "parentId": 1, "estimate": {"minutes": 30}});
    refused!(strict.post("/api/tasks", body).await => [
        ("/parentId", "unknown_member"),
        ("/estimate", "unknown_member"),
    ]);
    let body = json!({"tasks": [{"id": 1, "order": 1, "after": 2}], "all": true});
    refused!(strict.patch("/api/tasks/reorder", body).await => [
        ("/tasks/0/after", "unknown_member"),
        ("/all", "unknown_member"),
    ]);
    let body = json!({"commented": {"mail": true, "push": true}});
    refused!(strict.put("/api/notifications/preferences", body).await => [
        ("/commented/push", "unknown_member"),
    ]);
    // A field of the record that no change takes, and another fault beside it.
    let body = json!({"id": 1, "title": ""});
    refused!(strict.patch("/api/tasks/1", body).await => [
        ("/id", "unknown_member"),
        ("/title", "blank"),
    ]);
    let answer = strict
        .patch("/api/tasks/1", json!({"tile": "x"}))
        .await;
    let problem = answer.expect(400);
    let detail = "The operation reads no member `tile` here. Send these alone: title, description, milestoneId, \
                  phaseId, assigneeId, status, priority, dueDate, order.";
    assert_eq!(problem["errors"][1]["detail"], detail);
}

#[tokio::test]
async fn a_free_form_object_has_no_unknown_members() {
    let (_, [ada]) = Api::signed_in(["ada"]).await;
    let strict = ada.with_header("prefer", "handling=strict");
    let body = json!({
        "type": "note", "description": "x", "projectId": 1, "metadata": {"any": {"name": 1}},
    });
    let answer = strict
        .post("/api/activities", body)
        .await;
    assert_eq!(answer.header("preference-applied"), Some("handling=strict"));
    shows!(answer.expect(200), {"/metadata/any/name": 1});
}

#[tokio::test]
async fn without_the_preference_unknown_members_are_ignored() {
    let (_, [ada]) = Api::signed_in(["ada"]).await;
    for prefer in ["", "handling=lenient", "handling=lenient, handling=strict"] {
        let lenient = ada
            .clone()
            .with_header("prefer", prefer);
        let body = json!({"title": "x", "projectId": 1, "parentId": 1});
        let answer = lenient.post("/api/tasks", body).await;
        assert_eq!(answer.header("preference-applied"), None, "{prefer}");
        answer.expect(200);
    }
    let strict = ada.with_header("prefer", "handling=strict");
    // A request without a body has none that could be read strictly.
    let answer = strict.get("/api/tasks/1").await;
    assert_eq!(answer.header("preference-applied"), None);
}
