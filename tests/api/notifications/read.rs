//! `POST /api/notifications/read`

use serde_json::json;
use shared::model::base::span;
use tests::support::{Api, posts, shows};

use super::{has_some, ids, unread};

const PATH: &str = "/api/notifications/read";

#[tokio::test]
async fn some_are_read_by_their_ids_and_once() {
    let (api, [mia]) = Api::signed_in(["mia"]).await;
    let notification_ids = has_some(&api, &mia, 4).await;
    posts!(mia, PATH, {"ids": [notification_ids[0], notification_ids[2]]});
    let rows = mia
        .walk("/api/notifications?unread=true")
        .await;
    assert_eq!(
        ids(&rows),
        [notification_ids[3].as_str(), notification_ids[1].as_str()]
    );
    assert_eq!(unread(&mia).await, 2);
    // The first time counts.
    api.clock.advance(span::MINUTE);
    posts!(mia, PATH, {"ids": [notification_ids[0]]});
    let rows = mia.walk("/api/notifications").await;
    shows!(rows, {"/3/readAt": "2026-01-15T12:00:00.000Z", "/2/readAt": null});
}

#[tokio::test]
async fn those_of_others_and_unknown_ones_are_left() {
    let (api, [max, mia, zac]) = Api::signed_in(["max", "mia", "zac"]).await;
    let notification_ids = has_some(&api, &max, 2).await;
    for other in [&mia, &zac] {
        posts!(other, PATH, {"ids": notification_ids});
        posts!(other, PATH, {"before": api.clock.now()});
    }
    assert_eq!(unread(&max).await, 2);
    // The same cause at another instant is another id.
    let (_, cause) = notification_ids[0]
        .split_once('-')
        .unwrap();
    posts!(max, PATH, {"ids": [format!("1-{cause}"), "x", "1-task-9-9"]});
    assert_eq!(unread(&max).await, 2);
}

#[tokio::test]
async fn all_up_to_an_instant_are_read_with_one_write() {
    let (api, [mia]) = Api::signed_in(["mia"]).await;
    let notification_ids = has_some(&api, &mia, 120).await;
    let rows = mia
        .walk("/api/notifications?limit=30")
        .await;
    posts!(mia, PATH, {"before": &rows[10]["at"]});
    let left: Vec<_> = notification_ids[110..]
        .iter()
        .rev()
        .map(String::as_str)
        .collect();
    assert_eq!(
        ids(&mia
            .walk("/api/notifications?unread=true&limit=3")
            .await),
        left
    );
    assert_eq!(unread(&mia).await, 10);
    let rows = mia
        .walk("/api/notifications?limit=50")
        .await;
    let read = rows
        .iter()
        .filter(|row| row["readAt"] == "2026-01-15T12:00:00.000Z");
    assert_eq!((rows.len(), read.count()), (120, 110));
    // An earlier instant takes nothing back.
    posts!(mia, PATH, {"before": "2026-01-01T00:00:00Z"});
    assert_eq!(unread(&mia).await, 10);
    // One in the future is as good as now: what comes later is unread.
    posts!(mia, PATH, {"before": "2100-01-01T00:00:00Z"});
    assert_eq!(unread(&mia).await, 0);
    api.clock.advance(1);
    has_some(&api, &mia, 1).await;
    assert_eq!(unread(&mia).await, 1);
}

/// Beside the bounds that the document states.
#[tokio::test]
async fn a_request_names_ids_or_an_instant() {
    let (_, [mia]) = Api::signed_in(["mia"]).await;
    let both = json!({"ids": ["1-task-1-1"], "before": "2026-01-01T00:00:00Z"});
    for (body, fault) in [
        (json!({}), ("", "required")),
        (both, ("/ids", "combination")),
        (json!({"ids": [""]}), ("/ids/0", "blank")),
    ] {
        mia.post(PATH, body)
            .await
            .expect_faults(&[fault]);
    }
}
