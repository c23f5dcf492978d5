//! `POST /api/users`

use futures::future::join_all;
use serde_json::json;
use tests::support::{Api, merges, refused, snapshot, statuses};

use super::{head_of_staff, ingrid};

#[tokio::test]
async fn a_new_user_signs_in_and_may_do_what_was_given() {
    let (api, [ada]) = Api::signed_in(["ada"]).await;
    let mut body = ingrid();
    body["permissions"] = json!(["manage_tickets", "delete_task", "manage_tickets"]);
    let user = ada.posts("/api/users", body).await;
    snapshot!(user, @r#"
    {
      "createdAt": "2026-01-15T12:00:00.000Z",
      "disabled": false,
      "email": null,
      "emailBouncedAt": null,
      "emailVerifiedAt": null,
      "fullName": "Ingrid Solberg",
      "id": 2,
      "permissions": ["delete_task", "manage_tickets"],
      "role": "member",
      "updatedAt": "2026-01-15T12:00:00.000Z",
      "username": "ingrid",
      "version": 1
    }
    "#);
    let nobody = api.anonymous();
    let signed_in = nobody
        .logs_in("INGRID", "a horse of another colour")
        .await;
    let ingrid = nobody.with_cookie(signed_in.session());
    let session = ingrid.reads("/api/auth/session").await;
    let permissions = session["permissions"]
        .as_array()
        .unwrap();
    assert!(permissions.contains(&json!("delete_task")));
    assert!(!permissions.contains(&json!("manage_milestones")));
}

#[tokio::test]
async fn a_username_is_taken_in_the_whole_service_and_in_every_case() {
    let (api, [ada]) = Api::signed_in(["ada"]).await;
    api.user("zoe").await;
    let before = api.records().await;
    for username in ["zoe", "ZOE", "ada", "Ada"] {
        let mut body = ingrid();
        body["username"] = json!(username);
        refused!(ada.post("/api/users", body).await => 409, "username_taken");
    }
    assert_eq!(before, api.records().await);
}

#[tokio::test]
async fn one_of_many_requests_for_a_username_gets_it() {
    let (_, [ada, zoe]) = Api::signed_in(["ada", "zoe"]).await;
    let callers = [&ada, &zoe, &ada, &zoe, &ada, &zoe];
    let answers = callers.map(|caller| caller.post("/api/users", ingrid()));
    let answers = join_all(answers).await;
    assert_eq!(statuses(&answers), [200, 409, 409, 409, 409, 409]);
    for answer in answers
        .iter()
        .filter(|answer| answer.status != 200)
    {
        answer.expect_problem(409, "username_taken");
    }
}

#[tokio::test]
async fn no_caller_gives_permissions_they_lack() {
    let api = Api::start().await;
    let max = head_of_staff(&api).await;
    let before = api.records().await;
    for more in [
        json!({"role": "admin"}),
        json!({"role": "viewer", "permissions": ["manage_organization"]}),
        json!({"role": "manager", "permissions": ["delete_task", "manage_organization"]}),
    ] {
        let mut body = ingrid();
        merges(&mut body, &more);
        max.post("/api/users", body)
            .await
            .expect_denied();
    }
    assert_eq!(before, api.records().await);
    let mut body = ingrid();
    body["role"] = json!("manager");
    body["permissions"] = json!(["manage_users"]);
    // They hold it, but a permission of admins guards the organization.
    max.post("/api/users", body.clone())
        .await
        .expect_denied();
    body["permissions"] = json!(["delete_task"]);
    max.posts("/api/users", body).await;
}

#[tokio::test]
async fn a_password_is_not_the_username() {
    let (api, [ada]) = Api::signed_in(["ada"]).await;
    let mut body = ingrid();
    body["username"] = json!("Twelve-Chars");
    body["password"] = json!("twelve-chars");
    let before = api.records().await;
    refused!(ada.post("/api/users", body).await => [("/password", "common")]);
    assert_eq!(before, api.records().await);
}
