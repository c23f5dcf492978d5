//! `GET` and `DELETE /api/users/{id}/sessions`

use serde_json::json;
use tests::support::{Api, column};

use super::head_of_staff;

#[tokio::test]
async fn an_admin_lists_and_ends_the_sessions_of_others() {
    let (api, [ada]) = Api::signed_in(["ada"]).await;
    let user = api.user("mia").await;
    let mia = api.session_of(&user).await;
    let phone = api.session_of(&user).await;
    let script = api.token_of(&user, json!({})).await;
    let path = format!("/api/users/{}/sessions", user.id);
    let sessions = ada.reads(&path).await;
    assert_eq!(sessions.as_array().unwrap().len(), 2);
    assert_eq!(sessions[0]["current"], false);
    let own = mia.walk("/api/auth/sessions").await;
    assert!(column(&own, "id").contains(&&sessions[0]["id"]));
    ada.deletes(&path).await;
    for ended in [&mia, &phone] {
        ended.is_signed_out().await;
    }
    assert_eq!(ada.reads(&path).await, json!([]));
    // Tokens and the user's next sessions are valid.
    script.reads("/api/tasks").await;
    ada.reads("/api/auth/session").await;
    // One's own sessions end, too.
    let own = format!("/api/users/{}/sessions", ada.id());
    assert_eq!(ada.reads(&own).await[0]["current"], true);
    ada.deletes(&own).await;
    ada.is_signed_out().await;
}

#[tokio::test]
async fn only_sessions_of_users_whom_the_caller_may_change() {
    let api = Api::start().await;
    let max = head_of_staff(&api).await;
    let [ada, mia] = api.sign_ins(["ada", "mia"]).await;
    let path = format!("/api/users/{}/sessions", ada.id());
    for caller in [&max, &mia] {
        caller.get(&path).await.expect_denied();
        caller
            .delete(&path)
            .await
            .expect_denied();
    }
    ada.is_signed_in().await;
}
