//! `POST /api/tokens`

use futures::future::join_all;
use serde_json::json;
use shared::model::{
    base::span,
    people::{Role, Token, TokenSecret},
};
use tests::support::{Api, creates, posts, says, shows, snapshot, statuses};

#[tokio::test]
async fn a_token_is_answered_once_and_signs_in() {
    let (api, [mia]) = Api::signed_in(["mia"]).await;
    let created = posts!(mia, "/api/tokens", {
        "name": "export", "permissions": ["view_work", "create_task", "view_work"],
    });
    let token = created["token"].as_str().unwrap();
    let secret = TokenSecret::parse(token, api.store.cell());
    assert!(secret.is_some(), "{token}");
    snapshot!(created, @r#"
    {
      "createdAt": "2026-01-15T12:00:00.000Z",
      "expiresAt": "2027-01-15T12:00:00.000Z",
      "id": 1,
      "lastUsedAt": null,
      "name": "export",
      "permissions": ["view_work", "create_task"],
      "token": "[random]",
      "version": 1
    }
    "#);
    let script = api.anonymous().with_token(token);
    let session = script.reads("/api/auth/session").await;
    shows!(session, {"/user/username": "mia", "permissions": ["view_work", "create_task"]});
    assert_eq!(session["expiresAt"], created["expiresAt"]);
    posts!(script, "/api/tasks", {"title": "Export", "projectId": 1});
    assert!(
        !mia.get("/api/tokens")
            .await
            .text
            .contains(token)
    );
    assert!(
        !api.table_dump()
            .await
            .concat()
            .contains(&token[3..])
    );
}

#[tokio::test]
async fn a_token_without_permissions_of_its_own_has_its_owners() {
    let api = Api::start().await;
    let script = api
        .token_of(&api.user("max").await, json!({}))
        .await;
    let session = script.reads("/api/auth/session").await;
    assert_eq!(
        session["permissions"]
            .as_array()
            .unwrap()
            .len(),
        20
    );
}

#[tokio::test]
async fn no_token_has_a_permission_that_its_creator_lacks() {
    let (api, [mia]) = Api::signed_in(["mia"]).await;
    let before = api.records().await;
    for permission in ["delete_task", "manage_users"] {
        let sent = json!({"name": "export", "permissions": ["view_work", permission]});
        let answer = mia.post("/api/tokens", sent).await;
        says(&answer.expect_denied()["detail"], permission);
    }
    assert_eq!(api.records().await, before);
}

#[tokio::test]
async fn a_token_lasts_a_year_at_most() {
    let (_, [mia]) = Api::signed_in(["mia"]).await;
    let ends = async |at: &str| {
        let sent = json!({"name": "export", "expiresAt": at});
        mia.post("/api/tokens", sent).await
    };
    for at in [
        "2026-01-15T12:00:00Z",
        "2025-12-31T00:00:00Z",
        "2027-01-16T12:00:00.001Z",
    ] {
        ends(at)
            .await
            .expect_faults(&[("/expiresAt", "period")]);
    }
    for at in ["2026-01-15T12:00:00.001Z", "2027-01-16T12:00:00.000Z"] {
        assert_eq!(ends(at).await.expect(200)["expiresAt"], at);
    }
}

#[test]
fn a_list_of_permissions_has_room_for_each() {
    assert!(Role::Admin.permissions().len() <= 50);
}

#[tokio::test]
async fn a_user_holds_fifty_tokens_and_no_more() {
    let (api, [user]) = Api::with_users(["mia"]).await;
    let mia = api.session_of(&user).await;
    let most = usize::try_from(Token::MOST).unwrap();
    let soon = json!({"expiresAt": "2026-01-15T13:00:00Z"});
    let (first, _) = api.token_and_id_of(&user, soon).await;
    for _ in 2..most {
        api.token_of(&user, json!({})).await;
    }
    // One place is left, and several want it.
    let new = || mia.post("/api/tokens", json!({"name": "export"}));
    let answers = join_all((0..5).map(|_| new())).await;
    assert_eq!(statuses(&answers), [200, 409, 409, 409, 409]);
    new()
        .await
        .expect_problem(409, "too_many_tokens");
    assert_eq!(mia.get("/api/tokens").await.ids().len(), most);
    // Others hold their own.
    let max = api.sign_in("max").await;
    creates!(max, "/api/tokens", {"name": "export"});
    // What has ended leaves its place, and does not come back in it.
    first.reads("/api/tasks").await;
    api.clock.advance(span::HOUR);
    new().await.expect(200);
    first
        .get("/api/tasks")
        .await
        .expect(401);
    new().await.expect(409);
    let ids = mia.get("/api/tokens").await.ids();
    mia.deletes(&format!("/api/tokens/{}", ids[0]))
        .await;
    new().await.expect(200);
}

#[tokio::test]
async fn as_many_tokens_as_a_user_may_hold_can_be_created_at_once() {
    let (_, [mia]) = Api::signed_in(["mia"]).await;
    let creations = (0..10).map(|_| mia.post("/api/tokens", json!({"name": "export"})));
    let answers = join_all(creations).await;
    assert_eq!(statuses(&answers), [200; 10]);
    assert_eq!(mia.get("/api/tokens").await.ids().len(), 10);
}
