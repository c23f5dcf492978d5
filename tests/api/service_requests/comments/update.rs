//! `PATCH /api/service-requests/{serviceRequestId}/comments/{commentId}`

use serde_json::{Value, json};
use tests::support::{Api, Fault, raise_version};

use crate::service_requests::comments;

#[tokio::test]
async fn an_edited_comment_is_later_and_keeps_its_place() {
    let (api, [mia]) = Api::signed_in(["mia"]).await;
    let request = mia.raises_request().await;
    for content in ["First", "Secnod", "Third"] {
        mia.comments_on_request(request, content)
            .await;
    }
    let list = comments(request);
    let before = mia.reads(&list).await;
    let path = format!("{list}/2");
    let mut expected = before[1].clone();
    // The clock stands still for the first, and is behind for the second.
    for (by, content, updated_at) in [
        (0, "Second", "2026-01-15T12:00:00.001Z"),
        (-5_000, "Second!", "2026-01-15T12:00:00.002Z"),
        (65_000, "Second.", "2026-01-15T12:01:00.000Z"),
    ] {
        api.clock.advance(by);
        expected["content"] = json!(content);
        expected["updatedAt"] = json!(updated_at);
        raise_version(&mut expected);
        let edited = mia
            .patch(&path, json!({"content": content}))
            .await;
        assert_eq!(edited.expect(200), expected);
        let read = mia.reads(&list).await;
        assert_eq!(read, json!([before[0], expected, before[2]]));
    }
}

#[tokio::test]
async fn a_comment_of_another_thread_is_not_found() {
    let (api, [mia]) = Api::signed_in(["mia"]).await;
    let first = mia.raises_request().await;
    let second = mia.raises_request().await;
    let comment = mia
        .comments_on_request(first, "Here")
        .await;
    let before = api.records().await;
    for thread in [second, 99] {
        let path = format!("{}/{comment}", comments(thread));
        let edited = mia
            .patch(&path, json!({"content": "There"}))
            .await;
        edited.expect_not_found();
        mia.delete(&path)
            .await
            .expect_not_found();
    }
    assert_eq!(before, api.records().await);
}

#[tokio::test]
async fn an_edit_that_a_delete_outran_finds_nothing_and_revives_nothing() {
    let (_, faults, [mia]) = Api::behind_faults(["mia"]).await;
    let request = mia.raises_request().await;
    mia.comments_on_request(request, "Mine")
        .await;
    let path = format!("{}/1", comments(request));
    faults.next("PutItem", Fault::Outrun);
    let edited = mia
        .patch(&path, json!({"content": "Edited"}))
        .await;
    assert_eq!(edited.expect(200)["content"], "Edited");
    assert!(faults.are_over());
    let (edited, deleted) = tokio::join!(
        mia.patch(&path, json!({"content": "Again"})),
        mia.delete(&path),
    );
    assert_eq!(deleted.expect(204), Value::Null);
    assert!([200, 404].contains(&edited.status), "{}", edited.text);
    assert_eq!(mia.reads(&comments(request)).await[0]["content"], "");
}
