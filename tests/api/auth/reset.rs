//! `POST /api/auth/reset`

use serde_json::{Value, json};
use shared::model::{base::span, updates::Letter};
use tests::support::{Api, PASSWORD, patches, refused, statuses};

use crate::journal::{Reader, entry};

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
    let first = api.has_link_to_reset(EMAIL).await;
    let second = api.has_link_to_reset(EMAIL).await;
    let other = api
        .has_link_to_confirm(&user, "other@example.com")
        .await;
    let mut mailbox = api.mailbox().await;
    let mut reader = Reader::of(&api).await;
    let nobody = api.anonymous();
    assert_eq!(nobody.posts(PATH, reset(&second)).await, Value::Null);
    for caller in [&mia, &script] {
        caller.is_signed_out().await;
    }
    for (password, status) in [(PASSWORD, 401), (NEW, 200)] {
        nobody
            .logs_in("mia", password)
            .await
            .expect(status);
    }
    for token in [&first, &second] {
        refused!(nobody.post(PATH, reset(token)).await => 403, "link_invalid");
    }
    let body = json!({"token": other});
    refused!(nobody.post("/api/auth/email/confirm", body).await => 403, "link_invalid");
    let mail = mailbox.mail().await;
    assert_eq!(mail.to, EMAIL);
    let Letter::PasswordChanged(change) = mail.letter else {
        panic!("{mail:?}");
    };
    assert_eq!(change.network.as_deref(), Some("203.0.113.0/24"));
    assert_eq!(change.at, api.clock.now());
    let subjects = json!([format!("user:{}", mia.id())]);
    let nothing = [Value::Null, Value::Null];
    let event = "password_reset";
    let expected = entry(Some(mia.id()), Value::Null, event, subjects, nothing);
    let news = reader.news().await;
    assert!(news.contains(&expected), "{news:?}");
    // No other person set the password.
    let directory = api.store.directory();
    let user = directory
        .user(user.organization_id, user.id)
        .await
        .unwrap();
    assert_eq!(user.fresh_until(), None);
}

#[tokio::test]
async fn a_link_lasts_an_hour_and_is_of_the_verified_address() {
    let api = Api::start().await;
    let mia = api.user("mia").await;
    let ada = api.sign_in("ada").await;
    let nobody = api.anonymous();
    let is_dead = async |token: &str| {
        refused!(nobody.post(PATH, reset(token)).await => 403, "link_invalid");
    };
    api.has_verified(&mia, EMAIL).await;
    let token = api.has_link_to_reset(EMAIL).await;
    api.clock.advance(span::HOUR);
    is_dead(&token).await;
    let token = api.has_link_to_reset(EMAIL).await;
    is_dead(
        &api.has_link_to_confirm(&mia, EMAIL)
            .await,
    )
    .await;
    is_dead("unknown").await;
    let path = format!("/api/users/{}", mia.id);
    for change in [json!({"email": "new@example.com"}), json!({"email": EMAIL})] {
        ada.patches(&path, change).await;
        is_dead(&token).await;
    }
    api.has_verified(&mia, EMAIL).await;
    patches!(ada, &path, {"disabled": true});
    is_dead(&token).await;
}

#[tokio::test]
async fn a_refused_reset_leaves_the_link_alive() {
    let api = Api::start().await;
    api.has_verified(&api.user("mia").await, EMAIL)
        .await;
    let token = api.has_link_to_reset(EMAIL).await;
    let nobody = api.anonymous();
    let before = api.records().await;
    let short = json!({"token": token, "password": "short"});
    refused!(nobody.post(PATH, short).await => [("/password", "length")]);
    let foreign = nobody
        .clone()
        .with_header("origin", "https://evil.example");
    refused!(foreign.post(PATH, reset(&token)).await => 403, "cross_site");
    assert_eq!(before, api.records().await);
    let twice = [(); 2].map(|()| nobody.post(PATH, reset(&token)));
    let answers = futures::future::join_all(twice).await;
    assert_eq!(statuses(&answers), [204, 403]);
}
