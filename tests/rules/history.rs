//! Histories of records.

use serde_json::{Value, json};
use tests::support::{Api, Caller, patches, posts, refused, shows};

async fn history(caller: &Caller, record: &str) -> Vec<Value> {
    caller
        .walk(&format!("{record}/history"))
        .await
}

/// Of each entry, newest first: its id, who made it, what became of the record, and the names of
/// the fields.
fn told(entries: &[Value]) -> Vec<Value> {
    let entries = entries.iter().map(|entry| {
        let changes = entry["changes"]
            .as_array()
            .unwrap()
            .iter();
        let fields: Vec<_> = changes
            .map(|change| &change["field"])
            .collect();
        let by = &entry["actor"]["username"];
        json!([entry["id"], by, entry["what"], fields])
    });
    entries.collect()
}

#[tokio::test]
async fn a_task_tells_who_changed_what() {
    let (api, [max, mia]) = Api::signed_in(["max", "mia"]).await;
    let task = json!({"title": "Draft", "description": "x".repeat(600)});
    mia.creates_task(task).await;
    api.has_tag(api.home.id, "urgent").await;
    api.clock.advance(1_000);
    let change =
        json!({"title": "Final", "description": null, "status": "done", "priority": "medium"});
    max.patches("/api/tasks/1", change)
        .await;
    // What changes nothing, and order alone, leave no entry.
    max.patches("/api/tasks/1", json!({"title": "Final"}))
        .await;
    patches!(max, "/api/tasks/reorder", {"tasks": [{"id": 1, "order": 7}]});
    max.patches("/api/tasks/1", json!({"order": 9}))
        .await;
    for _ in 0..2 {
        let tagged = mia
            .post("/api/tasks/1/tags", json!({"tagId": 1}))
            .await;
        tagged.expect(204);
    }
    mia.deletes("/api/tasks/1/tags/1").await;
    let entries = history(&mia, "/api/tasks/1").await;
    let expected = [
        json!([6, "mia", "updated", ["tagIds"]]),
        json!([5, "mia", "updated", ["tagIds"]]),
        json!([2, "max", "updated", ["description", "status", "title"]]),
        json!([1, "mia", "created", []]),
    ];
    assert_eq!(told(&entries), expected);
    shows!(entries[0]["changes"][0], {"from": [1], "to": []});
    let changed = &entries[2];
    assert_eq!(changed["at"], "2026-01-15T12:00:01.000Z");
    assert_eq!(changed["changes"][0]["from"], "x".repeat(500));
    shows!(changed["changes"], {"/0/to": null, "/2/from": "Draft", "/2/to": "Final"});
    assert_eq!(mia.reads("/api/tasks/1").await["version"], entries[0]["id"]);
}

#[tokio::test]
async fn the_history_of_what_was_deleted_stays() {
    let (_, [max]) = Api::signed_in(["max"]).await;
    max.creates_task(json!({})).await;
    max.creates_milestone(json!({})).await;
    let request_id = max.raises_request().await;
    let request = format!("/api/service-requests/{request_id}");
    for record in ["/api/tasks/1", "/api/milestones/1", &request] {
        max.deletes(record).await;
        let entries = history(&max, record).await;
        let [last, first] = ["deleted", "created"];
        let expected = [json!([2, "max", last, []]), json!([1, "max", first, []])];
        assert_eq!(told(&entries), expected, "{record}");
    }
    refused!(max.get("/api/tasks/2/history").await => 404, "not_found");
}

#[tokio::test]
async fn changes_by_the_service_have_no_actor() {
    let (api, [max]) = Api::signed_in(["max"]).await;
    let [phase, ..] = api.has_phases().await;
    let milestone = max.creates_milestone(json!({})).await;
    api.has_tag(api.home.id, "urgent").await;
    let task = json!({"milestoneId": milestone, "phaseId": phase});
    max.creates_task(task).await;
    max.posts("/api/tasks/1/tags", json!({"tagId": 1}))
        .await;
    for record in [
        format!("/api/milestones/{milestone}"),
        format!("/api/phases/{phase}"),
        "/api/tags/1".to_owned(),
    ] {
        max.deletes(&record).await;
    }
    assert_eq!(api.cleans_up().await, 3);
    let mut entries = history(&max, "/api/tasks/1").await;
    entries.truncate(3);
    let mut fields = Vec::new();
    for entry in &entries {
        shows!(entry, {"actor": null, "what": "updated"});
        fields.push(
            entry["changes"][0]["field"]
                .as_str()
                .unwrap()
                .to_owned(),
        );
    }
    fields.sort();
    assert_eq!(fields, ["milestoneId", "phaseId", "tagIds"]);
    assert_eq!(max.reads("/api/tasks/1").await["version"], entries[0]["id"]);
}

#[tokio::test]
async fn requests_tickets_and_projects_tell_what_became_of_them() {
    let (_, [max, mia]) = Api::signed_in(["max", "mia"]).await;
    let request_id = mia.raises_request().await;
    let request = format!("/api/service-requests/{request_id}");
    let resolved = json!({"status": "resolved"});
    max.patches(&request, resolved.clone())
        .await;
    posts!(mia, "{request}/comments", {"content": "It is back."});
    let expected = [
        json!([3, "mia", "updated", ["status"]]),
        json!([2, "max", "updated", ["status"]]),
        json!([1, "mia", "created", []]),
    ];
    assert_eq!(told(&history(&mia, &request).await), expected);
    let ticket = json!({"title": "No invoices", "description": "Since Monday."});
    let answer = mia
        .post("/api/managed-services/tickets", ticket)
        .await;
    answer.expect(200);
    let ticket = "/api/managed-services/ticket/1";
    max.patches(ticket, resolved).await;
    for _ in 0..2 {
        posts!(mia, "{ticket}/reply", {"content": "Still none."});
    }
    let entries = history(&max, ticket).await;
    let expected = [
        json!([3, "mia", "updated", ["status"]]),
        json!([2, "max", "updated", ["status"]]),
        json!([1, "mia", "created", []]),
    ];
    assert_eq!(told(&entries), expected);
    assert_eq!(entries[0]["changes"][0]["from"], "resolved");
    let project_id = max
        .creates("/api/projects", json!({"title": "Move"}))
        .await;
    let project = format!("/api/projects/{project_id}");
    max.patches(&project, json!({"status": "archived"}))
        .await;
    let expected = [
        json!([2, "max", "updated", ["status"]]),
        json!([1, "max", "created", []]),
    ];
    assert_eq!(told(&history(&mia, &project).await), expected);
}

/// Whatever becomes of a change, its entry becomes of it too: there is never one without the other.
#[tokio::test]
async fn changes_at_the_same_time_each_leave_their_entry() {
    let (_, [max, mia]) = Api::signed_in(["max", "mia"]).await;
    max.creates_task(json!({})).await;
    let changes = (0..12).map(|number| {
        let caller = if number % 2 == 0 { &max } else { &mia };
        caller.patch("/api/tasks/1", json!({"title": format!("Title {number}")}))
    });
    let answers = futures::future::join_all(changes).await;
    let done = answers
        .iter()
        .filter(|answer| answer.status == 200)
        .count();
    assert!(done > 0);
    let entries = history(&max, "/api/tasks/1").await;
    assert_eq!(entries.len(), 1 + done);
    let mut before = "Move the invoices".to_owned();
    for entry in entries.iter().rev().skip(1) {
        assert_eq!(entry["changes"][0]["from"], json!(before), "{entry}");
        entry["changes"][0]["to"]
            .as_str()
            .unwrap()
            .clone_into(&mut before);
    }
}
