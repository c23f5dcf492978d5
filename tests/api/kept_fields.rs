//! Fields that a change of a record keeps or clears.

use futures::future::join_all;
use serde_json::{Value, json};
use tests::support::{Answer, Api, Caller, creates, merges, raise_version, refused};

async fn change(caller: &Caller, path: &str, change: &Value) -> Answer {
    if path.starts_with("/api/milestones") {
        caller.put(path, change.clone()).await
    } else {
        caller.patch(path, change.clone()).await
    }
}

/// The record alone, without what is joined to it.
fn alone(answer: &Value) -> Value {
    let mut record = answer
        .get("ticket")
        .unwrap_or(answer)
        .clone();
    for name in "assignee creator milestone project tasks tasksNext".split(' ') {
        record
            .as_object_mut()
            .unwrap()
            .remove(name);
    }
    record
}

async fn read(caller: &Caller, path: &str) -> Value {
    if path.starts_with("/api/phases") {
        return caller
            .reads("/api/projects/1/phases")
            .await[0]
            .clone();
    }
    alone(&caller.reads(path).await)
}

const JANUARY: &str = "2026-01-11T08:00:00.000Z";
const FEBRUARY: &str = "2026-02-01T00:00:00.000Z";

/// A record of each kind. Returns the ids of the milestone, the phase and the webhook.
async fn has_records(api: &Api, ada: &Caller) -> [i64; 3] {
    let [phase, ..] = api.has_phases().await;
    let dates = json!({"description": "D", "startDate": JANUARY, "dueDate": FEBRUARY});
    let milestone = ada.creates_milestone(dates).await;
    let task = json!({"description": "D", "dueDate": FEBRUARY, "priority": "low"});
    ada.creates_task(task).await;
    let parts = json!({"projectId": 1, "subtype": "a", "metadata": {"a": 1}, "evidence": {"b": 2}});
    ada.records_activity(parts).await;
    ada.raises_request().await;
    creates!(ada, "/api/managed-services/tickets", {"title": "Help"});
    creates!(ada, "/api/customers", {"name": "Ferro Robotics"});
    let hooks = "https://hooks.example.com";
    [
        milestone,
        phase,
        api.has_webhook(ada, hooks, &["*"])
            .await
            .0,
    ]
}

/// Rows of changes by the paths of their records.
fn changes([milestone, phase, webhook]: [i64; 3], user: i64) -> Value {
    json!({
        "/api/projects/1": [
            [{"description": "All"}],
            [{"title": "Moved"}, {"status": "completed"}],
            [{"customerId": 1}],
            [{"description": null}],
            [{"customerId": null}],
        ],
        "/api/customers/1": [
            [{"name": "Ferro"}, {"domains": ["ferro.example"]}],
            [{"domains": []}, {"archived": true}],
            [{"archived": false}],
        ],
        (format!("/api/phases/{phase}")): [[{"title": "Test"}, {"order": 9}]],
        (format!("/api/milestones/{milestone}")): [
            [{"title": "Moved"}, {"status": "completed"}],
            [{"description": null}],
            [{"startDate": null}],
            [{"dueDate": null}],
        ],
        "/api/tasks/1": [
            [{"milestoneId": milestone, "phaseId": phase, "assigneeId": user}],
            [{"title": "Moved"}, {"status": "done"}],
            [{"milestoneId": null, "phaseId": null, "assigneeId": null}],
            [{"description": null}, {"dueDate": null}],
        ],
        "/api/activities/1": [
            [{"type": "meeting"}, {"subtype": "review"}],
            [{"subtype": null}, {"description": "Met"}],
            [{"timestamp": JANUARY}],
            [{"metadata": {"c": 1e300}, "evidence": null}],
            [{"metadata": null, "evidence": {"d": []}}],
        ],
        "/api/service-requests/1": [
            [{"title": "No"}, {"priority": "urgent"}, {"assigneeId": user}],
            [{"description": "Now"}, {"category": "a"}, {"customerId": 1}],
            [{"description": null, "category": null, "assigneeId": null, "customerId": null}],
            [{"status": "in_progress", "priority": "low"}],
        ],
        "/api/managed-services/ticket/1": [
            [{"title": "No"}, {"priority": "urgent"}, {"assigneeId": user}, {"customerId": 1}],
            [{"assigneeId": null, "customerId": null}, {"status": "in_progress", "priority": "low"}],
        ],
        (format!("/api/users/{user}")): [
            [{"permissions": ["manage_tickets"], "role": "support"}],
            [{"fullName": "Mia Tanaka", "username": "mia"}],
            [{"permissions": []}, {"fullName": "Mia"}],
        ],
        (format!("/api/webhooks/{webhook}")): [
            [{"types": ["task.*"]}, {"description": "Chat"}],
            [{"description": null, "enabled": false}],
        ],
    })
}

/// Changes that stand in one row are made at the same time, and lose nothing.
#[tokio::test]
async fn a_change_keeps_what_is_absent_and_clears_what_is_null() {
    let (api, [ada, mia]) = Api::signed_in(["ada", "mia"]).await;
    let table = changes(has_records(&api, &ada).await, mia.id());
    for (path, rows) in table.as_object().unwrap() {
        let mut expected = read(&ada, path).await;
        for row in rows.as_array().unwrap() {
            let row = row.as_array().unwrap();
            api.clock.advance(1);
            for change in row {
                merges(&mut expected, change);
                raise_version(&mut expected);
            }
            if let Some(at) = expected.get_mut("updatedAt") {
                *at = json!(api.clock.now());
            }
            let answers = join_all(
                row.iter()
                    .map(|body| change(&ada, path, body)),
            )
            .await;
            let mut records = answers
                .iter()
                .map(|answer| alone(&answer.expect(200)));
            assert!(records.any(|last| last == expected), "{path}: {row:?}");
            assert_eq!(read(&ada, path).await, expected);
        }
        if !path.starts_with("/api/milestones") {
            refused!(ada.patch(path, json!({})).await => [("", "required")]);
        }
    }
}
