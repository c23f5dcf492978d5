//! `GET` and `DELETE /api/auth/sessions`, and `DELETE /api/auth/sessions/{id}`

use futures::future::join_all;
use serde_json::{Value, json};
use shared::model::span;

use tests::support::{Api, Caller, PASSWORD, budgets::within, shows};

async fn sessions(caller: &Caller) -> Vec<Value> {
    let rows = caller.get("/api/auth/sessions").await.expect(200);
    rows.as_array().unwrap().clone()
}

#[tokio::test]
async fn a_user_sees_where_they_are_signed_in_newest_first() {
    let (api, [mia]) = Api::signed_in(["mia"]).await;
    api.sign_in("ada").await;
    api.clock.advance(span::HOUR);
    let phone = api
        .anonymous()
        .at("198.51.100.9")
        .with_header("user-agent", "Phone/1.0");
    let login = json!({"username": "mia", "password": PASSWORD});
    phone.post("/api/auth/login", login).await.expect(200);
    let rows = sessions(&mia).await;
    let [newest, own] = rows.as_slice() else {
        panic!("two sessions, not {rows:?}");
    };
    let expected = json!({
        "id": newest["id"], "current": false, "address": "198.51.100.9", "userAgent": "Phone/1.0",
        "createdAt": "2026-01-15T13:00:00.000Z", "lastUsedAt": "2026-01-15T13:00:00.000Z",
        "expiresAt": "2026-01-16T13:00:00.000Z", "method": "password",
        "signedInAt": "2026-01-15T13:00:00.000Z",
    });
    assert_eq!(*newest, expected);
    shows!(own, {"current": true, "createdAt": "2026-01-15T12:00:00.000Z"});
    assert_ne!(own["id"], newest["id"]);
    // To a tenth of the idle time.
    api.clock.advance(2 * span::HOUR);
    let own = &sessions(&mia).await[1];
    assert_eq!(own["lastUsedAt"], "2026-01-15T15:00:00.000Z");
    assert_eq!(own["expiresAt"], "2026-01-16T15:00:00.000Z");
}

#[tokio::test]
async fn a_session_is_named_by_nothing_that_signs_in() {
    let (api, [mia]) = Api::signed_in(["mia"]).await;
    let id = sessions(&mia).await[0]["id"].as_str().unwrap().to_owned();
    assert_eq!(id.len(), 16);
    // Neither the cookie nor what the table keeps of it.
    assert!(!mia.cookie.as_deref().unwrap().contains(&id));
    assert!(!api.table_dump().await.concat().contains(&id));
}

#[tokio::test]
async fn what_has_ended_is_not_listed() {
    let api = Api::start().await;
    let user = api.user("mia").await;
    let mia = api.session_of(&user).await;
    let other = api.session_of(&user).await;
    assert_eq!(sessions(&mia).await.len(), 2);
    other.trigger("/api/auth/logout").await.expect(204);
    assert_eq!(sessions(&mia).await.len(), 1);
    api.session_of(&user).await;
    api.clock.advance(span::DAY - 1);
    assert_eq!(sessions(&mia).await.len(), 2);
    api.clock.advance(1);
    assert_eq!(sessions(&mia).await.len(), 1);
}

#[tokio::test]
async fn sessions_come_in_pages_whatever_is_begun_and_ended_meanwhile() {
    let api = Api::start().await;
    let user = api.user("mia").await;
    let mia = api.session_of(&user).await;
    let mut others = Vec::new();
    for _ in 0..4 {
        api.clock.advance(span::MINUTE);
        others.push(api.session_of(&user).await);
    }
    let whole = sessions(&mia).await;
    assert_eq!(mia.walk("/api/auth/sessions?limit=2").await, whole);
    let first = mia.get("/api/auth/sessions?limit=2").await;
    assert_eq!(first.expect(200).as_array().unwrap()[..], whole[..2]);
    others[3].trigger("/api/auth/logout").await.expect(204);
    api.session_of(&user).await;
    let rest = mia.walk(first.next().unwrap()).await;
    assert_eq!(rest, whole[2..]);
    // A place in one's own list is none in another's.
    let max = api.sign_in("max").await;
    let answer = max.get(first.next().unwrap()).await;
    answer.expect_faults(&[("?cursor", "unknown")]);
    let answer = mia.get("/api/auth/sessions?limit=0&sort=id").await;
    answer.expect_faults(&[("?limit", "range"), ("?sort", "value")]);
}

#[tokio::test]
async fn all_sessions_but_this_one_end_at_once() {
    let api = Api::start().await;
    let user = api.user("mia").await;
    let mia = api.session_of(&user).await;
    let script = api.token_of(&user, json!({})).await;
    let ada = api.sign_in("ada").await;
    for _ in 0..2 {
        let mut others = Vec::new();
        for _ in 0..3 {
            others.push(api.session_of(&user_now(&api).await).await);
        }
        assert_eq!(sessions(&mia).await.len(), 4);
        mia.delete("/api/auth/sessions").await.expect(204);
        for other in others {
            let answer = other.get("/api/auth/session").await;
            answer.expect_problem(401, "unauthenticated");
            other.delete("/api/auth/sessions").await.expect(401);
        }
        assert_eq!(sessions(&mia).await.len(), 1);
    }
    // Tokens and other users stay, and the user signs in again.
    script.get("/api/tasks").await.expect(200);
    ada.get("/api/auth/session").await.expect(200);
    let again = api.session_of(&user_now(&api).await).await;
    assert_eq!(sessions(&again).await.len(), 2);
    // Whoever comes later ends the one that was kept.
    again.delete("/api/auth/sessions").await.expect(204);
    mia.get("/api/auth/session").await.expect(401);
    again.get("/api/auth/session").await.expect(200);
}

/// Mia as she is now, as a sign-in finds her.
async fn user_now(api: &Api) -> shared::model::User {
    let sign_in = api.store.sign_in();
    let account = sign_in.account("mia").await.unwrap().unwrap();
    sign_in.user(&account).await.unwrap().unwrap()
}

#[tokio::test]
async fn the_session_that_is_kept_ends_as_any_other() {
    let api = Api::start().await;
    let user = api.user("mia").await;
    let mia = api.session_of(&user).await;
    mia.delete("/api/auth/sessions").await.expect(204);
    for _ in 0..13 {
        api.clock.advance(12 * span::HOUR);
        mia.get("/api/auth/session").await.expect(200);
    }
    api.clock.advance(12 * span::HOUR);
    mia.get("/api/auth/session").await.expect(401);
    let mia = api.session_of(&user_now(&api).await).await;
    mia.delete("/api/auth/sessions").await.expect(204);
    let directory = api.store.directory();
    for disabled in [true, false] {
        let done = directory.disable_user(api.home.id, user.id, disabled);
        done.await.unwrap();
        // Who is enabled again signs in again.
        mia.get("/api/auth/session").await.expect(401);
    }
    let mia = api.session_of(&user_now(&api).await).await;
    mia.delete("/api/auth/sessions").await.expect(204);
    mia.trigger("/api/auth/logout").await.expect(204);
    mia.get("/api/auth/session").await.expect(401);
}

#[tokio::test]
async fn one_of_several_sessions_that_end_each_other_is_left() {
    let api = Api::start().await;
    let user = api.user("mia").await;
    let mut all = Vec::new();
    for _ in 0..8 {
        all.push(api.session_of(&user).await);
    }
    let answers = join_all(all.iter().map(|mia| mia.delete("/api/auth/sessions"))).await;
    let statuses: Vec<_> = answers.iter().map(|answer| answer.status).collect();
    let mut left = 0;
    for (mia, status) in all.iter().zip(&statuses) {
        let now = mia.get("/api/auth/session").await.status;
        assert_eq!(
            (*status, now == 200),
            (if now == 200 { 204 } else { 401 }, now == 200)
        );
        left += usize::from(now == 200);
    }
    assert_eq!(left, 1, "{statuses:?}");
}

#[tokio::test]
async fn a_session_may_end_the_others_several_times_at_once() {
    let (_, [mia]) = Api::signed_in(["mia"]).await;
    let three = (0..3).map(|_| mia.delete("/api/auth/sessions"));
    for answer in join_all(three).await {
        answer.expect(204);
    }
    mia.get("/api/auth/session").await.expect(200);
}

#[tokio::test]
async fn one_session_ends_by_its_id() {
    let api = Api::start().await;
    let user = api.user("mia").await;
    let (mia, phone) = (api.session_of(&user).await, api.session_of(&user).await);
    let id = |rows: &[Value], current: bool| {
        let row = rows.iter().find(|row| row["current"] == current).unwrap();
        format!("/api/auth/sessions/{}", row["id"].as_str().unwrap())
    };
    let rows = sessions(&mia).await;
    let (own, other) = (id(&rows, true), id(&rows, false));
    let ada = api.sign_in("ada").await;
    ada.delete(&other).await.expect_problem(404, "not_found");
    api.counter.take();
    let answer = mia.delete(&other).await;
    within(&api, "DELETE /api/auth/sessions/{id}", 204, &answer);
    phone.get("/api/auth/session").await.expect(401);
    assert_eq!(sessions(&mia).await.len(), 1);
    for gone in [other.as_str(), "/api/auth/sessions/0123456789abcdef"] {
        mia.delete(gone).await.expect_problem(404, "not_found");
    }
    mia.delete(&own).await.expect(204);
    mia.get("/api/auth/session").await.expect(401);
}

#[tokio::test]
async fn a_session_that_has_ended_is_not_found() {
    let (api, [mia]) = Api::signed_in(["mia"]).await;
    api.clock.advance(span::DAY / 2);
    let later = api.sign_in("mia").await;
    let rows = sessions(&later).await;
    let old = rows.iter().find(|row| row["current"] == false).unwrap();
    let path = format!("/api/auth/sessions/{}", old["id"].as_str().unwrap());
    api.clock.advance(span::DAY / 2);
    mia.get("/api/auth/session").await.expect(401);
    later.delete(&path).await.expect_problem(404, "not_found");
}
