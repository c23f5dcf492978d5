//! `POST /api/auth/reset`

use serde_json::{Value, json};
use shared::model::{Letter, span};

use crate::journal::{Reader, entry};
use tests::support::{Api, PASSWORD};

const PATH: &str = "/api/auth/reset";
const NEW: &str = "a horse of another colour";
const EMAIL: &str = "mia@example.com";

fn reset(token: &str) -> Value {
    json!({"token": token, "password": NEW})
}

#[tokio::test]
async fn a_reset_ends_sessions_tokens_and_links_and_is_told() {
    let (api, [mia]) = Api::signed_in(["mia"]).await;
    let user = api.user("mia").await;
    let script = api.token_of(&user, json!({})).await;
    api.has_verified(&user, EMAIL).await;
    let [first, second] = [
        api.has_link_to_reset(EMAIL).await,
        api.has_link_to_reset(EMAIL).await,
    ];
    let other = api.has_link_to_confirm(&user, "other@example.com").await;
    let (mut mailbox, mut reader) = (api.mailbox().await, Reader::of(&api).await);
    let nobody = api.anonymous();
    assert_eq!(
        nobody.post(PATH, reset(&second)).await.expect(204),
        Value::Null
    );
    for caller in [&mia, &script] {
        caller
            .get("/api/tasks")
            .await
            .expect_problem(401, "unauthenticated");
    }
    for (password, status) in [(PASSWORD, 401), (NEW, 200)] {
        let login = json!({"username": "mia", "password": password});
        nobody.post("/api/auth/login", login).await.expect(status);
    }
    for token in [&first, &second] {
        let dead = nobody.post(PATH, reset(token)).await;
        dead.expect_problem(403, "link_invalid");
    }
    let dead = nobody
        .post("/api/auth/email/confirm", json!({"token": other}))
        .await;
    dead.expect_problem(403, "link_invalid");
    let mail = mailbox.mail().await;
    assert_eq!(mail.to, EMAIL);
    let Letter::PasswordChanged(change) = mail.letter else {
        panic!("{mail:?}");
    };
    assert_eq!(change.network.as_deref(), Some("203.0.113.0/24"));
    assert_eq!(change.at, api.clock.now());
    let subjects = json!([format!("user:{}", mia.id())]);
    let nothing = [Value::Null, Value::Null];
    let told = entry(
        Some(mia.id()),
        Value::Null,
        "password_reset",
        subjects,
        nothing,
    );
    let news = reader.news().await;
    assert!(news.contains(&told), "{news:?}");
    // No other person set the password.
    let directory = api.store.directory();
    let user = directory.user(user.organization_id, user.id).await.unwrap();
    assert_eq!(user.fresh_until(), None);
}

#[tokio::test]
async fn a_link_lasts_an_hour_and_is_of_the_verified_address() {
    let api = Api::start().await;
    let (mia, ada) = (api.user("mia").await, api.sign_in("ada").await);
    api.has_verified(&mia, EMAIL).await;
    let nobody = api.anonymous();
    let token = api.has_link_to_reset(EMAIL).await;
    api.clock.advance(span::HOUR);
    nobody
        .post(PATH, reset(&token))
        .await
        .expect_problem(403, "link_invalid");
    let token = api.has_link_to_reset(EMAIL).await;
    let confirm = api.has_link_to_confirm(&mia, EMAIL).await;
    for token in [confirm.as_str(), "unknown"] {
        nobody
            .post(PATH, reset(token))
            .await
            .expect_problem(403, "link_invalid");
    }
    let path = format!("/api/users/{}", mia.id);
    for change in [json!({"email": "new@example.com"}), json!({"email": EMAIL})] {
        ada.patch(&path, change).await.expect(200);
        nobody
            .post(PATH, reset(&token))
            .await
            .expect_problem(403, "link_invalid");
    }
    api.has_verified(&mia, EMAIL).await;
    ada.patch(&path, json!({"disabled": true}))
        .await
        .expect(200);
    nobody
        .post(PATH, reset(&token))
        .await
        .expect_problem(403, "link_invalid");
}

#[tokio::test]
async fn a_refused_reset_leaves_the_link_alive() {
    let api = Api::start().await;
    let mia = api.user("mia").await;
    api.has_verified(&mia, EMAIL).await;
    let token = api.has_link_to_reset(EMAIL).await;
    let nobody = api.anonymous();
    let before = api.records().await;
    let short = json!({"token": token, "password": "short"});
    nobody
        .post(PATH, short)
        .await
        .expect_faults(&[("/password", "length")]);
    let foreign = nobody.clone().with_header("origin", "https://evil.example");
    foreign
        .post(PATH, reset(&token))
        .await
        .expect_problem(403, "cross_site");
    assert_eq!(before, api.records().await);
    let (one, other) = tokio::join!(
        nobody.post(PATH, reset(&token)),
        nobody.post(PATH, reset(&token))
    );
    let mut statuses = [one.status, other.status];
    statuses.sort_unstable();
    assert_eq!(statuses, [204, 403]);
}
