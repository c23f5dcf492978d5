//! `GET` and `DELETE /api/auth/sessions`, and `DELETE /api/auth/sessions/{id}`

use futures::future::join_all;
use serde_json::{Value, json};
use shared::model::base::span;
use tests::support::{Api, Caller, PASSWORD, snapshot};

async fn sessions(caller: &Caller) -> Vec<Value> {
    caller.walk("/api/auth/sessions").await
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
    phone
        .logs_in("mia", PASSWORD)
        .await
        .expect(200);
    let rows = sessions(&mia).await;
    snapshot!(rows, @r#"
    [
      {
        "address": "198.51.100.9",
        "createdAt": "2026-01-15T13:00:00.000Z",
        "current": false,
        "expiresAt": "2026-01-16T13:00:00.000Z",
        "id": "[16 random digits, 1]",
        "lastUsedAt": "2026-01-15T13:00:00.000Z",
        "method": "password",
        "signedInAt": "2026-01-15T13:00:00.000Z",
        "userAgent": "Phone/1.0"
      },
      {
        "address": null,
        "createdAt": "2026-01-15T12:00:00.000Z",
        "current": true,
        "expiresAt": "2026-01-16T12:00:00.000Z",
        "id": "[16 random digits, 2]",
        "lastUsedAt": "2026-01-15T12:00:00.000Z",
        "method": "password",
        "signedInAt": "2026-01-15T12:00:00.000Z",
        "userAgent": null
      }
    ]
    "#);
    // To a tenth of the idle time.
    api.clock.advance(2 * span::HOUR);
    let own = &sessions(&mia).await[1];
    assert_eq!(own["lastUsedAt"], "2026-01-15T15:00:00.000Z");
    assert_eq!(own["expiresAt"], "2026-01-16T15:00:00.000Z");
}

#[tokio::test]
async fn a_session_is_listed_until_it_ends_by_nothing_that_signs_in() {
    let (api, [user]) = Api::with_users(["mia"]).await;
    let mia = api.session_of(&user).await;
    let id = sessions(&mia).await[0]["id"]
        .as_str()
        .unwrap()
        .to_owned();
    assert_eq!(id.len(), 16);
    // Neither the cookie nor what the table keeps of it.
    assert!(
        !mia.cookie
            .as_deref()
            .unwrap()
            .contains(&id)
    );
    assert!(
        !api.table_dump()
            .await
            .concat()
            .contains(&id)
    );
    let other = api.session_of(&user).await;
    assert_eq!(sessions(&mia).await.len(), 2);
    other.triggers("/api/auth/logout").await;
    assert_eq!(sessions(&mia).await.len(), 1);
    api.clock.advance(span::DAY / 2);
    let later = api.session_of(&user).await;
    let rows = sessions(&later).await;
    let path = format!("/api/auth/sessions/{}", rows[1]["id"].as_str().unwrap());
    api.clock.advance(span::DAY / 2 - 1);
    assert_eq!(sessions(&later).await.len(), 2);
    api.clock.advance(1);
    assert_eq!(sessions(&later).await.len(), 1);
    later
        .delete(&path)
        .await
        .expect_not_found();
    mia.is_signed_out().await;
}

#[tokio::test]
async fn all_sessions_but_this_one_end_at_once() {
    let (api, [user]) = Api::with_users(["mia"]).await;
    let mia = api.session_of(&user).await;
    let script = api.token_of(&user, json!({})).await;
    let ada = api.sign_in("ada").await;
    for _ in 0..2 {
        let mut others = Vec::new();
        for _ in 0..3 {
            others.push(
                api.session_of(&api.account("mia").await)
                    .await,
            );
        }
        assert_eq!(sessions(&mia).await.len(), 4);
        mia.deletes("/api/auth/sessions").await;
        for other in others {
            other.is_signed_out().await;
            other
                .delete("/api/auth/sessions")
                .await
                .expect(401);
        }
        assert_eq!(sessions(&mia).await.len(), 1);
    }
    // Tokens and other users stay, and the user signs in again.
    script.reads("/api/tasks").await;
    ada.is_signed_in().await;
    let again = api
        .session_of(&api.account("mia").await)
        .await;
    assert_eq!(sessions(&again).await.len(), 2);
    // Whoever comes later ends the one that was kept.
    again
        .deletes("/api/auth/sessions")
        .await;
    mia.is_signed_out().await;
    again.is_signed_in().await;
}

#[tokio::test]
async fn the_session_that_is_kept_ends_as_any_other() {
    let (api, [user]) = Api::with_users(["mia"]).await;
    let mia = api.session_of(&user).await;
    mia.deletes("/api/auth/sessions").await;
    for _ in 0..13 {
        api.clock.advance(12 * span::HOUR);
        mia.is_signed_in().await;
    }
    api.clock.advance(12 * span::HOUR);
    mia.is_signed_out().await;
    let mia = api
        .session_of(&api.account("mia").await)
        .await;
    mia.deletes("/api/auth/sessions").await;
    let directory = api.store.directory();
    for disabled in [true, false] {
        let done = directory.disable_user(api.home.id, user.id, disabled);
        done.await.unwrap();
        // Who is enabled again signs in again.
        mia.is_signed_out().await;
    }
    let mia = api
        .session_of(&api.account("mia").await)
        .await;
    mia.deletes("/api/auth/sessions").await;
    mia.triggers("/api/auth/logout").await;
    mia.is_signed_out().await;
}

#[tokio::test]
async fn one_of_several_sessions_that_end_each_other_is_left() {
    let (api, [user]) = Api::with_users(["mia"]).await;
    let mut callers = Vec::new();
    for _ in 0..8 {
        callers.push(api.session_of(&user).await);
    }
    let answers = join_all(
        callers
            .iter()
            .map(|mia| mia.delete("/api/auth/sessions")),
    )
    .await;
    let mut left = Vec::new();
    for (mia, answer) in callers.iter().zip(&answers) {
        let is_left = mia
            .get("/api/auth/session")
            .await
            .status
            == 200;
        answer.expect(if is_left { 204 } else { 401 });
        left.extend(is_left.then_some(mia));
    }
    let [mia] = left[..] else {
        panic!("{}", left.len());
    };
    // It may end the others several times at once.
    let again = (0..3).map(|_| mia.deletes("/api/auth/sessions"));
    join_all(again).await;
    mia.is_signed_in().await;
}

#[tokio::test]
async fn one_session_ends_by_its_id() {
    let (api, [user]) = Api::with_users(["mia"]).await;
    let mia = api.session_of(&user).await;
    let phone = api.session_of(&user).await;
    let id = |rows: &[Value], current: bool| {
        let row = rows
            .iter()
            .find(|row| row["current"] == current)
            .unwrap();
        format!("/api/auth/sessions/{}", row["id"].as_str().unwrap())
    };
    let rows = sessions(&mia).await;
    let own = id(&rows, true);
    let other = id(&rows, false);
    let ada = api.sign_in("ada").await;
    ada.delete(&other)
        .await
        .expect_not_found();
    mia.deletes(&other).await;
    phone.is_signed_out().await;
    assert_eq!(sessions(&mia).await.len(), 1);
    for gone in [other.as_str(), "/api/auth/sessions/0123456789abcdef"] {
        mia.delete(gone)
            .await
            .expect_not_found();
    }
    mia.deletes(&own).await;
    mia.is_signed_out().await;
}
