//! `GET /api/notifications`

use serde_json::{Value, json};
use shared::model::base::span;
use tests::support::{Api, refused, shows};

use super::{has_some, ids};

const PATH: &str = "/api/notifications";

#[tokio::test]
async fn a_user_reads_their_own_newest_first_and_joined() {
    let (api, [max, mia]) = Api::signed_in(["max", "mia"]).await;
    max.creates_task(json!({"assigneeId": mia.id()}))
        .await;
    api.publishes().await;
    api.clock.advance(span::SECOND);
    let comment = json!({"content": "Soon."});
    max.creates("/api/tasks/1/comments", comment)
        .await;
    api.publishes().await;
    let rows = mia.reads(PATH).await;
    let actor =
        json!({"id": max.id(), "username": "max", "fullName": rows[0]["actor"]["fullName"]});
    let expected = json!({
        "id": "1768478401000-comment-1-1", "kind": "commented", "at": "2026-01-15T12:00:01.000Z",
        "actor": actor,
        "subject": {
            "type": "task", "id": 1, "title": "Move the invoices", "path": "/api/tasks/1",
        },
        "url": "https://api.workdesk.example/#/tasks/1",
        "excerpt": "Soon.", "readAt": null,
    });
    shows!(rows, {"/0": expected, "/1/id": "1768478400000-task-1-1", "/1/kind": "assigned"});
    assert_eq!(rows[1]["excerpt"], Value::Null);
    assert_eq!(rows.as_array().unwrap().len(), 2);

    // Titles, names and the address of the desk are those of now.
    max.patches("/api/tasks/1", json!({"title": "Final"}))
        .await;
    let own = json!({"webUrl": "https://desk.example.com/halden/"});
    let ada = api.sign_in("ada").await;
    ada.patches("/api/organizations/1", own)
        .await;
    let rows = mia.reads(PATH).await;
    assert_eq!(rows[0]["subject"]["title"], "Final");
    assert_eq!(rows[0]["url"], "https://desk.example.com/halden/#/tasks/1");
    max.deletes("/api/tasks/1").await;
    let rows = mia.reads(PATH).await;
    shows!(rows[0], {"subject": {"type": "task", "id": 1, "title": null, "path": null}});
    shows!(rows[0], {"excerpt": null, "url": null});
}

#[tokio::test]
async fn nobody_reads_those_of_others() {
    let (api, [max, mia, zac]) = Api::signed_in(["max", "mia", "zac"]).await;
    has_some(&api, &max, 3).await;
    for other in [&mia, &zac] {
        assert_eq!(other.reads(PATH).await, json!([]));
    }
    let first = max
        .get(&format!("{PATH}?limit=2"))
        .await;
    let next = first.next().unwrap().to_owned();
    assert_eq!(
        max.reads(&next)
            .await
            .as_array()
            .unwrap()
            .len(),
        1
    );
    refused!(mia.get(&next).await => [("?cursor", "unknown")]);
}

#[tokio::test]
async fn a_token_reads_what_it_may() {
    let (api, [mia]) = Api::signed_in(["mia"]).await;
    mia.creates_task(json!({})).await;
    has_some(&api, &mia, 1).await;
    let user = api.user("mia").await;
    for (permission, title) in [
        ("view_work", json!("Move the invoices")),
        ("view_managed_services", Value::Null),
    ] {
        let script = api
            .token_of(&user, json!({"permissions": [permission]}))
            .await;
        let rows = script.reads(PATH).await;
        assert_eq!(rows[0]["subject"]["title"], title, "{permission}");
    }
}

#[tokio::test]
async fn filters_are_by_kind_and_by_what_was_read() {
    let (api, [max, mia]) = Api::signed_in(["max", "mia"]).await;
    max.creates_task(json!({"assigneeId": mia.id()}))
        .await;
    api.publishes().await;
    api.clock.advance(span::SECOND);
    let notification_ids = has_some(&api, &mia, 2).await;
    let read = json!({"ids": [notification_ids[0]]});
    mia.posts("/api/notifications/read", read)
        .await;
    let assigned = "1768478400000-task-1-1";
    for (filter, expected) in [
        ("kind=assigned", vec![assigned]),
        (
            "kind=commented",
            vec![notification_ids[1].as_str(), notification_ids[0].as_str()],
        ),
        (
            "kind=commented,assigned",
            vec![
                notification_ids[1].as_str(),
                notification_ids[0].as_str(),
                assigned,
            ],
        ),
        ("kind=overdue", vec![]),
        ("unread=true", vec![notification_ids[1].as_str(), assigned]),
        (
            "unread=true&kind=commented",
            vec![notification_ids[1].as_str()],
        ),
        ("unread=false", vec![notification_ids[0].as_str()]),
    ] {
        let mut expected = expected;
        expected.sort_unstable();
        let rows = mia
            .walk(&format!("{PATH}?{filter}"))
            .await;
        let mut row_ids = ids(&rows);
        row_ids.sort_unstable();
        assert_eq!(row_ids, expected, "{filter}");
    }
}

#[tokio::test]
async fn they_end_after_ninety_days() {
    let (api, [mia]) = Api::signed_in(["mia"]).await;
    let notification_ids = has_some(&api, &mia, 2).await;
    api.clock
        .advance(90 * span::DAY - span::SECOND);
    let mia = api
        .session_of(&api.user("mia").await)
        .await;
    // The table deletes them late.
    assert_eq!(api.items_of("notification").await.len(), 2);
    for filter in ["", "?unread=true"] {
        let rows = mia
            .walk(&format!("{PATH}{filter}"))
            .await;
        assert_eq!(ids(&rows), [notification_ids[1].as_str()], "{filter}");
    }
    assert_eq!(super::unread(&mia).await, 1);
    api.clock.advance(span::SECOND);
    assert_eq!(mia.reads(PATH).await, json!([]));
    assert_eq!(super::unread(&mia).await, 0);
}
