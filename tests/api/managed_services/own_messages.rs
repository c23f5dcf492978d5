//! `PATCH /api/managed-services/ticket/{ticketId}/messages/{messageId}`
//! `DELETE /api/managed-services/ticket/{ticketId}/messages/{messageId}`

use serde_json::{Value, json};
use tests::support::{Api, Caller, Requests, posts, refused, shows};

const TICKET: &str = "/api/managed-services/ticket/1";
const FIRST: &str = "/api/managed-services/ticket/1/messages/1";
const MINUTE: i64 = 60_000;

/// Ticket 1 with message 1 by mia.
async fn with_message() -> (Api, Caller) {
    let (api, [mia]) = Api::signed_in(["mia"]).await;
    let body = json!({"title": "Invoice 17 is wrong", "description": "A secret slipped out"});
    mia.creates("/api/managed-services/tickets", body)
        .await;
    (api, mia)
}

async fn messages(caller: &Caller) -> Value {
    caller.reads(TICKET).await["messages"].clone()
}

fn edit() -> Value {
    json!({"content": "Better put"})
}

#[tokio::test]
async fn an_author_changes_the_last_message_within_five_minutes() {
    let (api, mia) = with_message().await;
    let before = mia.reads(TICKET).await;
    api.clock.advance(5 * MINUTE);
    let answer = mia.patch(FIRST, edit()).await;
    assert_eq!(answer.header("etag"), Some("\"2\""));
    let edited = answer.expect(200);
    let now = api.clock.now();
    shows!(edited, {
        "id": 1, "content": "Better put", "editedAt": now, "deletedAt": null, "version": 2,
        "createdAt": before["messages"][0]["createdAt"], "internal": false,
        "sender": {"id": mia.id(), "name": "Mia Tester", "isSupport": false},
    });
    let after = mia.reads(TICKET).await;
    assert_eq!(after["messages"], json!([edited]));
    assert_eq!(after["ticket"], before["ticket"]);
    // The same text changes nothing.
    let records = api.records().await;
    mia.patches(FIRST, edit()).await;
    assert_eq!(api.records().await, records);
    api.clock.advance(1);
    let other = json!({"content": "Once more"});
    refused!(mia.patch(FIRST, other).await => 409, "message_final");
    refused!(mia.delete(FIRST).await => 409, "message_final");
    assert_eq!(api.records().await, records);
}

#[tokio::test]
async fn a_message_is_final_once_a_reply_follows_it() {
    let (api, mia) = with_message().await;
    let sue = api.sign_in("sue").await;
    api.clock.advance(1);
    posts!(sue, "{TICKET}/reply", {"content": "For us alone", "internal": true});
    mia.patches(FIRST, edit()).await;
    api.clock.advance(1);
    posts!(sue, "{TICKET}/reply", {"content": "We look into it"});
    let records = api.records().await;
    refused!(mia.patch(FIRST, edit()).await => 409, "message_final");
    refused!(mia.delete(FIRST).await => 409, "message_final");
    assert_eq!(api.records().await, records);
    let last = format!("{TICKET}/messages/3");
    sue.patches(&last, edit()).await;
    let note = format!("{TICKET}/messages/2");
    refused!(sue.patch(&note, edit()).await => 409, "message_final");
}

#[tokio::test]
async fn another_user_than_the_author_may_not_change_a_message() {
    let (api, mia) = with_message().await;
    let others = [api.sign_in("sue").await, api.sign_in("ada").await];
    let records = api.records().await;
    for other in others {
        other
            .patch(FIRST, edit())
            .await
            .expect_denied();
        other
            .delete(FIRST)
            .await
            .expect_denied();
    }
    for path in [
        format!("{TICKET}/messages/2"),
        "/api/managed-services/ticket/2/messages/1".to_owned(),
    ] {
        mia.patch(&path, edit())
            .await
            .expect_not_found();
        mia.delete(&path)
            .await
            .expect_not_found();
    }
    assert_eq!(api.records().await, records);
}

#[tokio::test]
async fn a_deleted_message_keeps_its_place_and_says_nothing() {
    let (api, mia) = with_message().await;
    let mut expected = messages(&mia).await;
    api.clock.advance(MINUTE);
    mia.deletes(FIRST).await;
    expected[0]["content"] = json!("");
    expected[0]["deletedAt"] = json!(api.clock.now());
    expected[0]["version"] = json!(2);
    assert_eq!(messages(&mia).await, expected);
    let kept = api.records().await;
    assert!(
        !kept
            .iter()
            .any(|item| item.contains("slipped"))
    );
    mia.patch(FIRST, edit())
        .await
        .expect_not_found();
    mia.delete(FIRST)
        .await
        .expect_not_found();
    posts!(mia, "{TICKET}/reply", {"content": "Anew"});
    assert_eq!(mia.reads(TICKET).await["ticket"]["messageCount"], 2);
}

#[tokio::test]
async fn a_change_takes_the_version_that_the_author_read() {
    let (_, mia) = with_message().await;
    mia.patches(FIRST, edit()).await;
    let stale = mia
        .clone()
        .with_header("if-match", "\"1\"");
    refused!(stale.delete(FIRST).await => 412, "precondition_failed");
    let current = mia.with_header("if-match", "\"2\"");
    current.deletes(FIRST).await;
}

#[tokio::test]
async fn of_a_change_and_a_reply_at_the_same_time_one_comes_first() {
    let (api, mia) = with_message().await;
    let sue = api.sign_in("sue").await;
    api.clock.advance(1);
    let reply = json!({"content": "We look into it"});
    let path = format!("{TICKET}/reply");
    let (changed, replied) = tokio::join!(mia.patch(FIRST, edit()), sue.post(&path, reply));
    replied.expect(200);
    let first = messages(&mia).await[0]["content"].clone();
    if changed.status == 200 {
        assert_eq!(first, "Better put");
    } else {
        refused!(changed => 409, "message_final");
        assert_eq!(first, "A secret slipped out");
    }
}

#[tokio::test]
async fn a_reply_that_comes_before_the_write_makes_the_change_lose() {
    let (api, faults, [mia, sue]) = Api::behind_faults(["mia", "sue"]).await;
    let body = json!({"title": "Invoice 17 is wrong", "description": "It is"});
    mia.creates("/api/managed-services/tickets", body)
        .await;
    api.clock.advance(1);
    posts!(mia, "{TICKET}/reply", {"content": "Really"});
    api.clock.advance(1);
    // The sort key of message 2, which the reply does not write.
    faults.hold(Requests::Writing("#0000000000000002"));
    let second = format!("{TICKET}/messages/2");
    let replies = async {
        faults.holds(1).await;
        posts!(sue, "{TICKET}/reply", {"content": "We look into it"});
        faults.release();
    };
    let (changed, ()) = tokio::join!(mia.patch(&second, edit()), replies);
    refused!(changed => 409, "message_final");
    assert_eq!(messages(&mia).await[1]["content"], "Really");
}

#[tokio::test]
async fn the_feed_tells_of_a_changed_and_a_deleted_message() {
    let (api, mia) = with_message().await;
    api.publishes().await;
    let begin = mia.get("/api/changes").await;
    mia.patches(FIRST, edit()).await;
    mia.deletes(FIRST).await;
    api.publishes().await;
    let entries = mia.reads(begin.next().unwrap()).await;
    shows!(entries, {
        "/0/type": "ticket_message", "/0/action": "updated", "/0/fields": ["content", "editedAt"],
        "/1/type": "ticket_message", "/1/action": "deleted", "/1/recordId": 1,
    });
}
