//! `GET` and `DELETE /api/users/{id}/sessions`

use serde_json::json;

use super::head_of_staff;
use tests::support::{Api, budgets::within};

#[tokio::test]
async fn an_admin_lists_and_ends_the_sessions_of_others() {
    let (api, [ada]) = Api::signed_in(["ada"]).await;
    let user = api.user("mia").await;
    let mia = api.session_of(&user).await;
    let phone = api.session_of(&user).await;
    let script = api.token_of(&user, json!({})).await;
    let path = format!("/api/users/{}/sessions", user.id);
    api.counter.take();
    let answer = ada.get(&path).await;
    let sessions = within(&api, "GET /api/users/{id}/sessions", 200, &answer);
    assert_eq!(sessions.as_array().unwrap().len(), 2);
    assert_eq!(sessions[0]["current"], false);
    let own = mia.get("/api/auth/sessions").await.expect(200);
    assert!(
        own.as_array()
            .unwrap()
            .iter()
            .any(|row| row["id"] == sessions[0]["id"])
    );
    api.counter.take();
    let answer = ada.delete(&path).await;
    within(&api, "DELETE /api/users/{id}/sessions", 204, &answer);
    for ended in [&mia, &phone] {
        let answer = ended.get("/api/auth/session").await;
        answer.expect_problem(401, "unauthenticated");
    }
    assert_eq!(ada.get(&path).await.expect(200), json!([]));
    // Tokens and the user's next sessions are valid.
    script.get("/api/tasks").await.expect(200);
    ada.get("/api/auth/session").await.expect(200);
    // One's own sessions end, too.
    let own = format!("/api/users/{}/sessions", ada.id());
    assert_eq!(ada.get(&own).await.expect(200)[0]["current"], true);
    ada.delete(&own).await.expect(204);
    ada.get("/api/auth/session").await.expect(401);
}

#[tokio::test]
async fn only_sessions_of_users_whom_the_caller_may_change() {
    let api = Api::start().await;
    let max = head_of_staff(&api).await;
    let ada = api.sign_in("ada").await;
    let (mia, zoe) = (api.sign_in("mia").await, api.sign_in("zoe").await);
    let path = format!("/api/users/{}/sessions", ada.id());
    for (caller, status, code) in [
        (&max, 403, "permission_denied"),
        (&mia, 403, "permission_denied"),
        (&zoe, 404, "not_found"),
    ] {
        caller.get(&path).await.expect_problem(status, code);
        caller.delete(&path).await.expect_problem(status, code);
    }
    ada.get("/api/auth/session").await.expect(200);
}
