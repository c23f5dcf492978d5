//! `If-None-Match`, the entity tags of changes, and compressed answers

use serde_json::{Value, json};
use tests::support::{Api, patches};

#[tokio::test]
async fn a_record_that_the_client_has_is_not_sent_again_and_all_else_is() {
    let (_, [mia]) = Api::signed_in(["mia"]).await;
    mia.creates_task(json!({})).await;
    let knowing = mia.with_header("if-none-match", "\"2\"");
    patches!(knowing, "/api/tasks/1", {"title": "Renamed"});
    let answer = knowing.get("/api/tasks/1").await;
    assert_eq!((answer.status, answer.text.as_str()), (304, ""));
    assert_eq!(answer.header("etag"), Some("\"2\""));
    assert_eq!(answer.header("content-type"), None);
    knowing.reads("/api/tasks").await;
    knowing
        .get("/api/tasks/99")
        .await
        .expect_not_found();
}

#[tokio::test]
async fn a_change_without_a_body_names_the_new_version() {
    let (api, [mia]) = Api::signed_in(["mia"]).await;
    mia.creates_task(json!({})).await;
    let activity = mia.records_activity(json!({})).await;
    let [phase, ..] = api.has_phases().await;
    api.has_tag(api.home.id, "urgent").await;
    let tag = json!({"tagId": 1});
    for record in [
        "/api/tasks/1".to_owned(),
        format!("/api/activities/{activity}"),
    ] {
        let tags = format!("{record}/tags");
        // Attached, attached already, detached, detached already.
        for (answer, version) in [
            (mia.post(&tags, tag.clone()).await, 2),
            (mia.post(&tags, tag.clone()).await, 2),
            (mia.delete(&format!("{tags}/1")).await, 3),
            (mia.delete(&format!("{tags}/1")).await, 3),
        ] {
            assert_eq!(answer.status, 204);
            let expected = format!("\"{version}\"");
            assert_eq!(answer.header("etag"), Some(expected.as_str()), "{record}");
        }
        assert_eq!(mia.get(&record).await.header("etag"), Some("\"3\""));
    }
    let moved = json!({"phaseId": phase});
    let answer = mia
        .patch("/api/tasks/1/phase", moved)
        .await;
    assert_eq!((answer.status, answer.header("etag")), (204, Some("\"4\"")));
    // A replay names the version as it is now.
    let again = mia
        .clone()
        .with_header("idempotency-key", "tag");
    let answer = again
        .post("/api/tasks/1/tags", tag.clone())
        .await;
    assert_eq!(answer.header("etag"), Some("\"5\""));
    patches!(mia, "/api/tasks/1", {"title": "Renamed"});
    let answer = again
        .post("/api/tasks/1/tags", tag)
        .await;
    assert_eq!((answer.status, answer.header("etag")), (204, Some("\"6\"")));
}

#[tokio::test]
async fn reads_above_a_kilobyte_are_compressed_for_clients_that_ask() {
    let (_, [mia]) = Api::signed_in(["mia"]).await;
    let long = json!({"description": "Invoices ".repeat(500)});
    mia.creates_task(long).await;
    let plain = mia
        .clone()
        .with_header("accept-encoding", "identity");
    let plain = plain.get("/api/tasks/1").await;
    for (accepted, encoding) in [
        ("gzip", Some("gzip")),
        ("br;q=1.0, gzip;q=0.5", Some("gzip")),
        ("identity", None),
        ("gzip;q=0", None),
    ] {
        let asking = mia
            .clone()
            .with_header("accept-encoding", accepted);
        let answer = asking.get("/api/tasks/1").await;
        assert_eq!(answer.header("content-encoding"), encoding, "{accepted}");
        assert_eq!(answer.text, plain.text, "{accepted}");
        assert_eq!(answer.header("etag"), plain.header("etag"));
        let vary = answer
            .header("vary")
            .unwrap_or_default();
        assert!(vary.contains("accept-encoding"), "{accepted}: {vary}");
    }
    let asking = mia
        .clone()
        .with_header("accept-encoding", "gzip");
    // Small answers, and those of writes: some of these return a secret.
    let session = asking.get("/api/tags").await;
    assert_eq!(session.header("content-encoding"), None);
    let name = json!({"title": "Invoices ".repeat(20), "description": "Invoices ".repeat(500)});
    let change = asking.patch("/api/tasks/1", name).await;
    assert_eq!(change.header("content-encoding"), None);
    assert_ne!(change.expect(200), Value::Null);
}
