//! `PUT /api/users/{id}/password`

use serde_json::{Value, json};
use tests::support::{Api, Fault, PASSWORD, creates, puts, refused};

const NEW: &str = "a horse of another colour";

#[tokio::test]
async fn a_new_password_ends_every_session_and_is_the_only_one() {
    let (api, [ada, mia]) = Api::signed_in(["ada", "mia"]).await;
    let path = format!("/api/users/{}/password", mia.id());
    let answer = ada
        .put(&path, json!({"password": NEW}))
        .await;
    assert_eq!(answer.expect(204), Value::Null);
    mia.get("/api/tasks").await.expect(401);
    for (password, status) in [(PASSWORD, 401), (NEW, 200)] {
        let answer = api
            .anonymous()
            .logs_in("mia", password)
            .await;
        answer.expect(status);
    }
    ada.reads("/api/tasks").await;
    let user = ada
        .reads(&format!("/api/users/{}", mia.id()))
        .await;
    assert_eq!(user["version"], 2);
}

/// `PUT /api/auth/password` asks for the current password.
#[tokio::test]
async fn nobody_sets_their_own_password_without_the_current_one() {
    let (api, [ada]) = Api::signed_in(["ada"]).await;
    let path = format!("/api/users/{}/password", ada.id());
    refused!(ada.put(&path, json!({"password": NEW})).await => 403, "access_denied");
    api.anonymous()
        .logs_in("ada", PASSWORD)
        .await
        .expect(200);
}

#[tokio::test]
async fn a_new_password_is_not_blank_or_the_username() {
    let (api, [ada]) = Api::signed_in(["ada"]).await;
    let id = creates!(ada, "/api/users", {
        "username": "Twelve-Chars", "fullName": "x", "role": "viewer", "password": PASSWORD,
    });
    let path = format!("/api/users/{id}/password");
    let before = api.table_dump().await;
    for (password, fault) in [(" ".repeat(12), "blank"), ("TWELVE-chars".into(), "common")] {
        refused!(ada.put(&path, json!({"password": password})).await => [("/password", fault)]);
    }
    assert_eq!(before, api.table_dump().await);
}

/// The caller's permission is checked again against the changed user, and no password is set
/// without it.
#[tokio::test]
async fn a_user_who_keeps_changing_keeps_the_password() {
    let (_, faults, [ada, mia]) = Api::behind_faults(["ada", "mia"]).await;
    let path = format!("/api/users/{}/password", mia.id());
    faults.outrun("TransactWriteItems");
    refused!(ada.put(&path, json!({"password": NEW})).await => 409, "concurrent_change");
    mia.reads("/api/tasks").await;
    faults.next("TransactWriteItems", Fault::Outrun);
    puts!(ada, &path, {"password": NEW});
    assert!(faults.are_over());
}
