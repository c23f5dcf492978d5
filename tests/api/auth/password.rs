//! `PUT /api/auth/password`

use futures::future::join_all;
use serde_json::{Value, json};
use shared::{
    Error,
    auth::{Sid, password},
    model::{base::span, people::Role},
};
use tests::{
    records,
    support::{Answer, Api, Caller, PASSWORD, refused},
};

const NEW: &str = "another horse battery staple";

async fn changes(caller: &Caller, current: &str, new: &str) -> Answer {
    let body = json!({"currentPassword": current, "newPassword": new});
    caller
        .put("/api/auth/password", body)
        .await
}

async fn signs_in(api: &Api, name: &str, password: &str) -> u16 {
    let nobody = api.anonymous().at("198.51.100.1");
    nobody
        .logs_in(name, password)
        .await
        .status
}

#[tokio::test]
async fn a_changed_password_ends_all_else_and_renews_this_session() {
    let (api, [mia]) = Api::signed_in(["mia"]).await;
    let user = api.user("mia").await;
    let elsewhere = api.session_of(&user).await;
    let script = api.token_of(&user, json!({})).await;
    let answer = changes(&mia, PASSWORD, NEW).await;
    answer.expect(204);
    let (cookie, attributes) = answer
        .cookie()
        .split_once("; ")
        .unwrap();
    assert_eq!(attributes, "Path=/; HttpOnly; SameSite=Lax; Secure");
    for ended in [&mia, &elsewhere, &script] {
        ended.is_signed_out().await;
    }
    let renewed = api.anonymous().with_cookie(cookie);
    renewed.reads("/api/auth/session").await;
    let sessions = renewed
        .reads("/api/auth/sessions")
        .await;
    assert_eq!(sessions.as_array().unwrap().len(), 1, "{sessions}");
    assert_eq!(signs_in(&api, "mia", PASSWORD).await, 401);
    assert_eq!(signs_in(&api, "mia", NEW).await, 200);
    // The table has neither the password nor the id of the session.
    let rows = api.table_dump().await.concat();
    assert!(!rows.contains(NEW) && !rows.contains(&session_of(&api, &renewed).to_string()));
    let problem: Value = changes(&renewed, "guessed it", NEW)
        .await
        .expect(400);
    assert!(
        !problem
            .to_string()
            .contains("guessed it")
    );
    // Nobody else is signed out.
    let ada = api.sign_in("ada").await;
    changes(&renewed, NEW, PASSWORD)
        .await
        .expect(204);
    ada.reads("/api/auth/session").await;
}

#[tokio::test]
async fn a_wrong_current_password_changes_nothing_and_counts_as_a_failed_sign_in() {
    let (api, [mia]) = Api::signed_in(["mia"]).await;
    let nobody = api.anonymous();
    for _ in 0..5 {
        refused!(changes(&mia, NEW, NEW).await => [("/currentPassword", "incorrect")]);
        nobody
            .logs_in("mia", "wrong")
            .await
            .expect(401);
    }
    mia.is_signed_in().await;
    let refused = changes(&mia, PASSWORD, NEW).await;
    refused.expect_problem(429, "too_many_attempts");
    assert_eq!(refused.header("retry-after"), Some("900"));
    nobody
        .logs_in("mia", "wrong")
        .await
        .expect(429);
    // The door is that of the account and this network. Others wait for a second.
    api.clock.advance(span::SECOND);
    let elsewhere = mia.clone().at("198.51.100.9");
    changes(&elsewhere, "wrong", NEW)
        .await
        .expect(400);
    api.clock.advance(15 * span::MINUTE);
    changes(&mia, PASSWORD, NEW)
        .await
        .expect(204);
}

#[tokio::test]
async fn a_user_who_knows_the_password_is_not_locked_out() {
    let (api, [mia]) = Api::signed_in(["mia"]).await;
    for _ in 0..11 {
        refused!(changes(&mia, PASSWORD, "mia").await => [("/newPassword", "length")]);
    }
    for _ in 0..9 {
        changes(&mia, "wrong", NEW)
            .await
            .expect(400);
    }
    let answer = changes(&mia, PASSWORD, NEW).await;
    let renewed = api
        .anonymous()
        .with_cookie(answer.session());
    for _ in 0..9 {
        changes(&renewed, "wrong", NEW)
            .await
            .expect(400);
    }
}

#[tokio::test]
async fn a_new_password_is_long_enough_and_not_a_name_around_the_user() {
    let api = Api::start().await;
    let hash = password::hash(PASSWORD.into())
        .await
        .unwrap();
    let new = records::user("mia.the.member", Role::Member, hash);
    let directory = api.store.directory();
    let user = directory
        .create_user(api.home.id, new)
        .await
        .unwrap();
    let mia = api.session_of(&user).await;
    let common = ("/newPassword", "common");
    for (current, new, faults) in [
        (PASSWORD, "eleven char", &[("/newPassword", "length")][..]),
        (PASSWORD, "            ", &[("/newPassword", "blank")]),
        (PASSWORD, "Halden Services!", &[common]),
        (
            "wrong",
            "mia.the.member",
            &[("/currentPassword", "incorrect"), common],
        ),
    ] {
        changes(&mia, current, new)
            .await
            .expect_faults(faults);
    }
    // What does not fit is told, but is no guess; so the door is open.
    for _ in 0..11 {
        refused!(changes(&mia, PASSWORD, "MIA.THE.MEMBER").await => [common]);
    }
    changes(&mia, PASSWORD, &"xy".repeat(64))
        .await
        .expect(204);
}

#[tokio::test]
async fn one_of_several_password_changes_at_once_is_made() {
    let (api, [user]) = Api::with_users(["mia"]).await;
    let mut sessions = Vec::new();
    for _ in 0..4 {
        sessions.push(api.session_of(&user).await);
    }
    let news: Vec<_> = (0..4)
        .map(|n| format!("new password number {n}"))
        .collect();
    let pairs = sessions.iter().zip(&news);
    let answers = join_all(pairs.map(|(mia, new)| changes(mia, PASSWORD, new))).await;
    let done = answers
        .iter()
        .filter(|answer| answer.status == 204);
    assert_eq!(done.count(), 1);
    for (answer, new) in answers.iter().zip(&news) {
        assert!([204, 400, 401].contains(&answer.status), "{}", answer.text);
        let expected = if answer.status == 204 { 200 } else { 401 };
        assert_eq!(signs_in(&api, "mia", new).await, expected);
    }
}

#[tokio::test]
async fn a_sign_in_under_way_with_the_old_password_begins_no_session() {
    let (api, [mia]) = Api::signed_in(["mia"]).await;
    let sign_in = api.store.sign_in();
    let account = sign_in
        .account("mia")
        .await
        .unwrap()
        .unwrap();
    changes(&mia, PASSWORD, NEW)
        .await
        .expect(204);
    // The password was right when it was compared, and the user is read after the change.
    let user = sign_in
        .user(&account)
        .await
        .unwrap()
        .unwrap();
    let cell = api.store.cell();
    let now = api.clock.now();
    let sid = Sid::generate(cell, user.organization_id, user.id, now);
    let session = records::session(&sid, &user, now);
    let before = api.table_dump().await;
    let error = sign_in
        .begin(&account, &session, None)
        .await
        .unwrap_err();
    assert!(matches!(error, Error::WrongCredentials), "{error}");
    assert_eq!(api.table_dump().await, before);
}

#[tokio::test]
async fn a_session_that_was_ended_meanwhile_changes_no_password() {
    let (api, [user]) = Api::with_users(["mia"]).await;
    let mia = api.session_of(&user).await;
    let thief = api.session_of(&user).await;
    let sign_in = api.store.sign_in();
    let stolen = session_of(&api, &thief).hash();
    let reading = sign_in.caller(user.organization_id, user.id, &stolen);
    let caller = reading.await.unwrap().unwrap();
    let (session, stored_user) = (caller.credential, caller.user);
    mia.deletes("/api/auth/sessions").await;
    let account = sign_in
        .account("mia")
        .await
        .unwrap()
        .unwrap();
    let hash = password::hash(NEW.into())
        .await
        .unwrap();
    let begun = |sid: &Sid, user: &_| records::session(sid, user, api.clock.now());
    let renewed = sign_in.renew(
        (&account, None),
        &hash,
        (&session, &stored_user),
        begun,
        None,
    );
    let error = renewed.await.unwrap_err();
    assert!(matches!(error, Error::Unauthenticated), "{error}");
    assert_eq!(signs_in(&api, "mia", PASSWORD).await, 200);
}

fn session_of(api: &Api, caller: &Caller) -> Sid {
    let (_, value) = caller
        .cookie
        .as_deref()
        .unwrap()
        .split_once('=')
        .unwrap();
    Sid::parse(&api.app.cookie.verify(value).unwrap(), api.store.cell()).unwrap()
}
