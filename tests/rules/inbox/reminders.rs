//! Reminders of tasks that are due.

use serde_json::json;
use shared::model::base::span;
use tests::support::{Api, Concierge, patches};

use super::{reminds, told};

/// The number of reminders that the sweeper is going to visit.
async fn visits(api: &Api) -> usize {
    let reminders = api
        .items_of("reminder")
        .await
        .into_iter();
    reminders
        .filter(|item| item.contains_key("gsi4pk"))
        .count()
}

#[tokio::test]
async fn a_task_is_remembered_a_day_before_it_is_due_and_when_it_is() {
    let world = Concierge::start().await;
    let api = &world.api;
    let sweeper = world.sweeper();
    let mia = api.sign_in("mia").await;
    // It is noon of January 15.
    let due = |day: u32| json!(format!("2026-01-{day}T12:00:00Z"));
    for day in [17, 18] {
        mia.creates_task(json!({"assigneeId": mia.id(), "dueDate": due(day)}))
            .await;
    }
    mia.creates_task(json!({"dueDate": due(17)}))
        .await;
    mia.creates_task(json!({"assigneeId": mia.id()}))
        .await;
    api.publishes().await;
    let soon = |task: i64| json!(["due_soon", "task", task, null]);
    let overdue = |task: i64| json!(["overdue", "task", task, null]);
    api.clock.advance(span::DAY - 1);
    assert_eq!(reminds(&sweeper).await, 0);
    api.clock.advance(1);
    assert_eq!(reminds(&sweeper).await, 1);
    assert_eq!(reminds(&sweeper).await, 0);
    // The session has ended.
    let mia = api
        .session_of(&api.user("mia").await)
        .await;
    assert_eq!(told(&mia).await, [soon(1)]);
    // The second is moved, so that it is due a day later.
    patches!(mia, "/api/tasks/2", {"dueDate": due(19)});
    api.publishes().await;
    api.clock.advance(span::DAY);
    assert_eq!(reminds(&sweeper).await, 1);
    let mia = api
        .session_of(&api.user("mia").await)
        .await;
    assert_eq!(told(&mia).await, [soon(1), overdue(1)]);
    // The publisher may be behind: the record tells.
    mia.patches("/api/tasks/2", json!({"status": "done"}))
        .await;
    api.clock.advance(3 * span::DAY);
    assert_eq!(reminds(&sweeper).await, 0);
    let mia = api
        .session_of(&api.user("mia").await)
        .await;
    assert_eq!(told(&mia).await.len(), 2);
    // Open again, it is overdue at once.
    mia.patches("/api/tasks/2", json!({"status": "todo"}))
        .await;
    api.publishes().await;
    assert_eq!(reminds(&sweeper).await, 1);
    assert_eq!(told(&mia).await, [soon(1), overdue(1), overdue(2)]);
    // Nothing is left to come.
    assert_eq!(visits(api).await, 0);
}

#[tokio::test]
async fn a_task_that_is_done_unassigned_or_deleted_is_not_remembered() {
    let world = Concierge::start().await;
    let api = &world.api;
    let max = &world.max;
    let mia = api.sign_in("mia").await;
    for _ in 0..3 {
        let task = json!({"assigneeId": mia.id(), "dueDate": "2026-01-17T12:00:00Z"});
        mia.creates_task(task).await;
    }
    api.publishes().await;
    patches!(mia, "/api/tasks/1", {"status": "cancelled"});
    patches!(mia, "/api/tasks/2", {"assigneeId": null});
    max.deletes("/api/tasks/3").await;
    let changes = api.changes().await;
    api.clock.advance(2 * span::DAY);
    // The publisher is behind: the sweeper finds out by itself.
    assert_eq!(reminds(&world.sweeper()).await, 0);
    assert_eq!(visits(api).await, 0);
    // It leaves nothing behind when it has caught up, in whatever order.
    api.delivers_changes(&changes).await;
    api.delivers_changes(&changes[changes.len() - 1..])
        .await;
    assert_eq!(visits(api).await, 0);
    assert!(
        api.items_of("notification")
            .await
            .is_empty()
    );
}

#[tokio::test]
async fn a_reminder_leaves_with_its_reason() {
    let world = Concierge::start().await;
    let api = &world.api;
    let max = &world.max;
    for (number, change) in [
        json!({"status": "done"}),
        json!({"assigneeId": null}),
        json!({"dueDate": null}),
    ]
    .into_iter()
    .enumerate()
    {
        let task = json!({"assigneeId": max.id(), "dueDate": "2026-01-17T12:00:00Z"});
        max.creates_task(task).await;
        api.publishes().await;
        assert_eq!(visits(api).await, 1, "{change}");
        let path = format!("/api/tasks/{}", number + 1);
        max.patches(&path, change.clone()).await;
        api.publishes().await;
        assert_eq!(visits(api).await, 0, "{change}");
    }
}
