//! `POST /api/notifications/read`

use serde_json::json;
use shared::model::span;

use super::{has_some, ids, unread};
use tests::support::{Api, budgets::within, shows};

const PATH: &str = "/api/notifications/read";

#[tokio::test]
async fn some_are_read_by_their_ids_and_once() {
    let (api, [mia]) = Api::signed_in(["mia"]).await;
    let all = has_some(&api, &mia, 4).await;
    api.counter.take();
    let answer = mia.post(PATH, json!({"ids": [all[0], all[2]]})).await;
    within(&api, "POST /api/notifications/read", 204, &answer);
    let rows = mia.walk("/api/notifications?unread=true").await;
    assert_eq!(ids(&rows), [all[3].as_str(), all[1].as_str()]);
    assert_eq!(unread(&mia).await, 2);
    // The first time counts.
    api.clock.advance(span::MINUTE);
    mia.post(PATH, json!({"ids": [all[0]]})).await.expect(204);
    let rows = mia.walk("/api/notifications").await;
    shows!(rows, {"/3/readAt": "2026-01-15T12:00:00.000Z", "/2/readAt": null});
}

#[tokio::test]
async fn those_of_others_and_unknown_ones_are_left() {
    let (api, [max, mia, zac]) = Api::signed_in(["max", "mia", "zac"]).await;
    let all = has_some(&api, &max, 2).await;
    for other in [&mia, &zac] {
        other.post(PATH, json!({"ids": all})).await.expect(204);
        other
            .post(PATH, json!({"before": api.clock.now()}))
            .await
            .expect(204);
    }
    assert_eq!(unread(&max).await, 2);
    // The same cause at another instant is another id.
    let (_, cause) = all[0].split_once('-').unwrap();
    let unknown = json!({"ids": [format!("1-{cause}"), "x", "1-task-9-9"]});
    max.post(PATH, unknown).await.expect(204);
    assert_eq!(unread(&max).await, 2);
}

#[tokio::test]
async fn all_up_to_an_instant_are_read_with_one_write() {
    let (api, [mia]) = Api::signed_in(["mia"]).await;
    let all = has_some(&api, &mia, 120).await;
    let rows = mia.walk("/api/notifications?limit=30").await;
    let newest_seen = &rows[10]["at"];
    mia.post(PATH, json!({"before": newest_seen}))
        .await
        .expect(204);
    let left: Vec<_> = all[110..].iter().rev().map(String::as_str).collect();
    let rows = mia.walk("/api/notifications?unread=true&limit=3").await;
    assert_eq!(ids(&rows), left);
    assert_eq!(unread(&mia).await, 10);
    let rows = mia.walk("/api/notifications?limit=50").await;
    let read = rows
        .iter()
        .filter(|row| row["readAt"] == "2026-01-15T12:00:00.000Z");
    assert_eq!((rows.len(), read.count()), (120, 110));
    // An earlier instant takes nothing back.
    mia.post(PATH, json!({"before": "2026-01-01T00:00:00Z"}))
        .await
        .expect(204);
    assert_eq!(unread(&mia).await, 10);
    // One in the future is as good as now: what comes later is unread.
    mia.post(PATH, json!({"before": "2100-01-01T00:00:00Z"}))
        .await
        .expect(204);
    assert_eq!(unread(&mia).await, 0);
    api.clock.advance(1);
    has_some(&api, &mia, 1).await;
    assert_eq!(unread(&mia).await, 1);
}

#[tokio::test]
async fn a_request_names_ids_or_an_instant() {
    let (api, [mia]) = Api::signed_in(["mia"]).await;
    let many: Vec<String> = (0..51).map(|number| format!("1-task-{number}-1")).collect();
    for (body, faults) in [
        (json!({}), [("", "required")]),
        (
            json!({"ids": ["1-task-1-1"], "before": "2026-01-01T00:00:00Z"}),
            [("/ids", "combination")],
        ),
        (json!({"ids": []}), [("/ids", "length")]),
        (json!({"ids": many}), [("/ids", "length")]),
        (json!({"ids": [7]}), [("/ids/0", "type")]),
        (json!({"ids": [""]}), [("/ids/0", "blank")]),
        (json!({"before": "yesterday"}), [("/before", "date_time")]),
    ] {
        mia.post(PATH, body).await.expect_faults(&faults);
    }
    let body = json!({"before": "2026-01-01T00:00:00Z"});
    let anonymous = api.anonymous().post(PATH, body).await;
    anonymous.expect_problem(401, "unauthenticated");
}
