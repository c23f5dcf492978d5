//! `GET /api/notifications/count`

use serde_json::json;
use tests::support::Api;

use super::{has_some, unread};

#[tokio::test]
async fn unread_ones_are_counted_up_to_a_hundred() {
    let (api, [max, mia]) = Api::signed_in(["max", "mia"]).await;
    assert_eq!(unread(&mia).await, 0);
    has_some(&api, &mia, 99).await;
    let count = mia
        .reads("/api/notifications/count")
        .await;
    assert_eq!(count, json!({"unread": 99}));
    let notification_ids = has_some(&api, &mia, 101).await;
    assert_eq!(unread(&mia).await, 100);
    let read = json!({"ids": &notification_ids[..2]});
    mia.posts("/api/notifications/read", read)
        .await;
    assert!(unread(&mia).await.as_i64().unwrap() >= 99);
    assert_eq!(unread(&max).await, 0);
}
