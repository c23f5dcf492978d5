//! `PUT /api/auth/email` and `POST /api/auth/email/confirm`

use serde_json::{Value, json};
use shared::model::{base::span, updates::Letter};
use tests::support::{Api, PASSWORD, refused, shows};

use crate::journal::{Reader, entry};

fn change(email: &str) -> Value {
    json!({"email": email, "password": PASSWORD})
}

#[tokio::test]
async fn a_new_address_counts_once_its_link_was_followed() {
    let (api, [mia]) = Api::signed_in(["mia"]).await;
    let mut mailbox = api.mailbox().await;
    let answer = mia
        .put("/api/auth/email", change("mia@example.com"))
        .await;
    assert_eq!(answer.expect(202), Value::Null);
    let session = mia.reads("/api/auth/session").await;
    assert_eq!(session["user"]["email"], Value::Null);
    let mail = mailbox.mail().await;
    assert_eq!(mail.to, "mia@example.com");
    let Letter::EmailConfirmation { link, username, .. } = &mail.letter else {
        panic!("{mail:?}");
    };
    assert_eq!(username, "mia");
    let token = json!({"token": api.app.links.token(link).unwrap()});
    let mut reader = Reader::of(&api).await;
    // No session is needed.
    let nobody = api.anonymous();
    let confirmed = nobody
        .post("/api/auth/email/confirm", token.clone())
        .await;
    assert_eq!(confirmed.expect(204), Value::Null);
    let session = mia.reads("/api/auth/session").await;
    assert_eq!(session["user"]["email"], "mia@example.com");
    shows!(session["user"], {"emailVerifiedAt": "2026-01-15T12:00:00.000Z"});
    let after = json!({"email": "mia@example.com", "verified": true});
    let changed = entry(
        Some(mia.id()),
        Value::Null,
        "email_changed",
        json!([format!("user:{}", mia.id())]),
        [json!({"email": null, "verified": false}), after],
    );
    assert_eq!(reader.news().await, [changed]);
    // Nobody had an old address.
    assert!(mailbox.news().await.is_empty());
    refused!(nobody.post("/api/auth/email/confirm", token).await => 403, "link_invalid");
}

#[tokio::test]
async fn a_taken_address_is_told_to_its_reader_alone() {
    let api = Api::start().await;
    let mia = api.sign_in("mia").await;
    let vic = api.user("vic").await;
    api.has_verified(&vic, "shared@example.com")
        .await;
    let mut mailbox = api.mailbox().await;
    for email in ["SHARED@example.com", "free@example.com"] {
        let answer = mia
            .put("/api/auth/email", change(email))
            .await;
        assert_eq!(answer.expect(202), Value::Null);
    }
    let mails = mailbox.news().await;
    let of_vic = mails
        .iter()
        .find(|mail| mail.to.starts_with("SHARED"));
    let Letter::EmailConfirmation { link, .. } = &of_vic.unwrap().letter else {
        panic!("{mails:?}");
    };
    let token = json!({"token": api.app.links.token(link).unwrap()});
    let before = api.records().await;
    for _ in 0..2 {
        let refused = api
            .anonymous()
            .post("/api/auth/email/confirm", token.clone())
            .await;
        refused.expect_problem(409, "email_taken");
    }
    assert_eq!(before, api.records().await);
}

#[tokio::test]
async fn the_link_ends_after_a_day_and_with_a_new_password() {
    let (api, [mia, vic]) = Api::with_users(["mia", "vic"]).await;
    let ada = api.sign_in("ada").await;
    let old = api
        .has_link_to_confirm(&mia, "mia@example.com")
        .await;
    let of_vic = api
        .has_link_to_confirm(&vic, "vic@example.com")
        .await;
    let password = json!({"password": "a horse of another colour"});
    let path = format!("/api/users/{}/password", vic.id);
    ada.puts(&path, password).await;
    let sue = api.user("sue").await;
    api.has_verified(&sue, "sue@example.com")
        .await;
    let of_another = api
        .has_link_to_reset("sue@example.com")
        .await;
    let confirm = async |token: &str| {
        api.anonymous()
            .post("/api/auth/email/confirm", json!({"token": token}))
            .await
    };
    for token in [&of_vic, &of_another, "unknown"] {
        confirm(token)
            .await
            .expect_problem(403, "link_invalid");
    }
    api.clock.advance(span::DAY - 1);
    let last = api
        .has_link_to_confirm(&mia, "other@example.com")
        .await;
    api.clock.advance(1);
    confirm(&old)
        .await
        .expect_problem(403, "link_invalid");
    confirm(&last).await.expect(204);
}

#[tokio::test]
async fn a_wrong_password_is_a_failed_sign_in() {
    let (api, [mia]) = Api::signed_in(["mia"]).await;
    let wrong = json!({"email": "mia@example.com", "password": "wrong"});
    let mut mailbox = api.mailbox().await;
    for _ in 0..10 {
        refused!(mia.put("/api/auth/email", wrong.clone()).await => [("/password", "incorrect")]);
    }
    let refused = mia
        .put("/api/auth/email", change("mia@example.com"))
        .await;
    refused.expect_problem(429, "too_many_attempts");
    assert!(mailbox.news().await.is_empty());
}

#[tokio::test]
async fn ten_links_go_out_in_an_hour() {
    let (api, [mia]) = Api::signed_in(["mia"]).await;
    for _ in 0..10 {
        mia.puts("/api/auth/email", change("mia@example.com"))
            .await;
    }
    refused!(mia.put("/api/auth/email", change("mia@example.com")).await => 429, "rate_limited");
    api.clock.advance(span::HOUR);
    mia.puts("/api/auth/email", change("mia@example.com"))
        .await;
    let without = mia.before(api.instances_without_mail().await);
    let refused = without
        .put("/api/auth/email", change("mia@example.com"))
        .await;
    refused.expect_problem(409, "mail_not_configured");
}
