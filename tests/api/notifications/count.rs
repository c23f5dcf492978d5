//! `GET /api/notifications/count`

use serde_json::json;

use super::{has_some, unread};
use tests::support::{Api, budgets::within};

#[tokio::test]
async fn unread_ones_are_counted_up_to_a_hundred() {
    let (api, [max, mia]) = Api::signed_in(["max", "mia"]).await;
    assert_eq!(unread(&mia).await, 0);
    has_some(&api, &mia, 99).await;
    api.counter.take();
    let answer = mia.get("/api/notifications/count").await;
    let count = within(&api, "GET /api/notifications/count", 200, &answer);
    assert_eq!(count, json!({"unread": 99}));
    let all = has_some(&api, &mia, 101).await;
    assert_eq!(unread(&mia).await, 100);
    let read = json!({"ids": &all[..2]});
    mia.post("/api/notifications/read", read).await.expect(204);
    assert!(unread(&mia).await.as_i64().unwrap() >= 99);
    assert_eq!(unread(&max).await, 0);
    let wrong = mia.get("/api/notifications/count?unread=true").await;
    wrong.expect_faults(&[("?unread", "unknown_parameter")]);
    let anonymous = api.anonymous().get("/api/notifications/count").await;
    anonymous.expect_problem(401, "unauthenticated");
}
