//! `GET /api/auth/session`

use serde_json::json;
use shared::model::span;

use crate::support::{Api, PASSWORD};

#[tokio::test]
async fn a_changed_password_ends_every_session() {
    let api = Api::start().await;
    let mia = api.sign_in("mia").await;
    let user = api.user("mia").await;
    let hash = shared::auth::password::hash("a new one".into())
        .await
        .unwrap();
    api.store
        .directory()
        .change_password(&user, hash)
        .await
        .unwrap();
    mia.get("/api/auth/session").await.expect(401);
    let login = |password: &'static str| {
        let nobody = api.anonymous();
        async move {
            let body = json!({"username": "mia", "password": password});
            nobody.post("/api/auth/login", body).await.status
        }
    };
    assert_eq!(login(PASSWORD).await, 401);
    assert_eq!(login("a new one").await, 200);
}

#[tokio::test]
async fn a_session_ends_after_a_day_without_a_request() {
    let api = Api::start().await;
    let mia = api.sign_in("mia").await;
    api.clock.advance(span::DAY - 1);
    mia.get("/api/auth/session").await.expect(200);
    api.clock.advance(span::DAY);
    mia.get("/api/auth/session").await.expect(401);
}

#[tokio::test]
async fn a_session_ends_after_seven_days_whatever_happens() {
    let api = Api::start().await;
    let mia = api.sign_in("mia").await;
    for _ in 0..13 {
        api.clock.advance(12 * span::HOUR);
        mia.get("/api/auth/session").await.expect(200);
    }
    let session = mia.get("/api/auth/session").await.expect(200);
    assert_eq!(session["expiresAt"], "2026-01-22T12:00:00.000Z");
    api.clock.advance(12 * span::HOUR);
    mia.get("/api/auth/session").await.expect(401);
}

#[tokio::test]
async fn the_idle_time_is_extended_at_most_once_per_tenth() {
    let api = Api::start().await;
    let mia = api.sign_in("mia").await;
    let used = |_| api.counter.take().total;
    assert_eq!(used(mia.get("/api/auth/session").await), 1);
    api.clock.advance(span::DAY / 10 - 1);
    assert_eq!(used(mia.get("/api/auth/session").await), 1);
    api.clock.advance(1);
    assert_eq!(used(mia.get("/api/auth/session").await), 2);
    assert_eq!(used(mia.get("/api/auth/session").await), 1);
}

#[tokio::test]
async fn a_forged_cookie_costs_no_read() {
    let api = Api::start().await;
    let mia = api.sign_in("mia").await;
    let good = mia.cookie.clone().unwrap();
    let other = shared::auth::SessionCookie::new(vec!["another secret".into()], true);
    let forged = [
        "connect.sid=".to_owned(),
        good.replace("s%3A1-", "s%3A2-"),
        format!("connect.sid={}", other.sign("1-1-abc")),
        "connect.sid=s%3A1-1-abc.".to_owned(),
        format!("sid={}", &good["connect.sid=".len()..]),
    ];
    for cookie in forged {
        let caller = api.anonymous().with_cookie(cookie.clone());
        caller
            .get("/api/auth/session")
            .await
            .expect_problem(401, "unauthenticated");
        assert_eq!(api.counter.take().total, 0, "{cookie}");
    }
}

#[tokio::test]
async fn a_session_of_an_older_secret_holds() {
    let api = Api::start().await;
    let mia = api.sign_in("mia").await;
    let sid = api
        .app
        .cookie
        .verify(&mia.cookie.clone().unwrap()["connect.sid=".len()..])
        .unwrap();
    let older = shared::auth::SessionCookie::new(vec!["an older one".into()], true);
    let caller = api
        .anonymous()
        .with_cookie(format!("connect.sid={}", older.sign(&sid)));
    caller.get("/api/auth/session").await.expect(200);
}
