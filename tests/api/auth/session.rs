//! `GET /api/auth/session`

use serde_json::json;
use shared::{
    auth::SessionCookie,
    config::{CookieScope, SigningSecrets},
    model::span,
};

use tests::support::{Api, Caller, Fault, Faults, PASSWORD, Requests};

#[tokio::test]
async fn a_changed_password_ends_every_session() {
    let (api, [mia]) = Api::signed_in(["mia"]).await;
    let user = api.user("mia").await;
    let hash = shared::auth::password::hash("a new one".into())
        .await
        .unwrap();
    api.store
        .directory()
        .change_password(user.organization_id, &user, hash)
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
    let (api, [mia]) = Api::signed_in(["mia"]).await;
    api.clock.advance(span::DAY - 1);
    mia.get("/api/auth/session").await.expect(200);
    api.clock.advance(span::DAY);
    mia.get("/api/auth/session").await.expect(401);
}

#[tokio::test]
async fn a_session_ends_after_seven_days_whatever_happens() {
    let (api, [mia]) = Api::signed_in(["mia"]).await;
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
    let (api, [mia]) = Api::signed_in(["mia"]).await;
    let used = |_| api.counter.take().total;
    assert_eq!(used(mia.get("/api/auth/session").await), 1);
    api.clock.advance(span::DAY / 10 - 1);
    assert_eq!(used(mia.get("/api/auth/session").await), 1);
    api.clock.advance(1);
    assert_eq!(used(mia.get("/api/auth/session").await), 2);
    assert_eq!(used(mia.get("/api/auth/session").await), 1);
}

/// A caller whose next request extends the session.
async fn about_to_extend() -> (Api, Faults, Caller) {
    let (api, faults, [max]) = Api::behind_faults(["max"]).await;
    api.clock.advance(span::DAY / 10);
    (api, faults, max)
}

#[tokio::test]
async fn a_session_is_extended_beside_the_operation() {
    let (api, faults, max) = about_to_extend().await;
    // The create reserves an id by an update, as well.
    max.creates_milestone(json!({})).await;
    api.clock.advance(span::DAY / 10);
    let change = max.put("/api/milestones/1", json!({"title": "Renamed"}));
    faults.hold(Requests::Of("UpdateItem"));
    let meanwhile = async {
        faults.holds(1).await;
        let rows = api.table_dump().await;
        faults.release();
        rows
    };
    let (changed, meanwhile) = tokio::join!(change, meanwhile);
    changed.expect(200);
    assert!(meanwhile.iter().any(|row| row.contains("Renamed")));
}

#[tokio::test]
async fn a_session_that_cannot_be_extended_serves_all_the_same() {
    let (api, faults, max) = about_to_extend().await;
    for fault in [Fault::Denied, Fault::Throttled] {
        faults.begin(Requests::Of("UpdateItem"), fault);
        max.get("/api/auth/session").await.expect(200);
        max.get("/api/projects/1/milestones").await.expect(200);
    }
    faults.end();
    // The next request extends it, and the one after that has no need to.
    for requests in [2, 1] {
        api.counter.take();
        max.get("/api/auth/session").await.expect(200);
        assert_eq!(api.counter.take().total, requests);
    }
    api.clock.advance(span::DAY - 1);
    max.get("/api/auth/session").await.expect(200);
}

#[tokio::test]
async fn a_forged_cookie_costs_no_read() {
    let (api, [mia]) = Api::signed_in(["mia"]).await;
    let good = mia.cookie.clone().unwrap();
    let other = cookie_of("another secret");
    let forged = [
        "connect.sid=".to_owned(),
        good.replace("s%3A1-", "s%3A2-"),
        format!("connect.sid={}", other.sign("1-1-1768478400-abc")),
        "connect.sid=s%3A1-1-1768478400-abc.".to_owned(),
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
async fn a_cookie_of_more_than_seven_days_costs_no_read() {
    let (api, [mia]) = Api::signed_in(["mia"]).await;
    api.clock.advance(7 * span::DAY);
    mia.get("/api/auth/session").await.expect(401);
    assert!(api.counter.take().total > 0);
    api.clock.advance(span::SECOND);
    mia.get("/api/auth/session").await.expect(401);
    assert_eq!(api.counter.take().total, 0);
}

#[tokio::test]
async fn a_session_of_an_older_secret_holds() {
    let (api, [mia]) = Api::signed_in(["mia"]).await;
    let sid = api
        .app
        .cookie
        .verify(&mia.cookie.clone().unwrap()["connect.sid=".len()..])
        .unwrap();
    let older = cookie_of("an older one");
    let caller = api
        .anonymous()
        .with_cookie(format!("connect.sid={}", older.sign(&sid)));
    caller.get("/api/auth/session").await.expect(200);
}

fn cookie_of(secret: &str) -> SessionCookie {
    let secrets = SigningSecrets::new([secret.to_owned()]).unwrap();
    SessionCookie::new(secrets, CookieScope::SameSite)
}
