//! `GET /api/users/{id}/tokens` and `DELETE /api/users/{id}/tokens/{tokenId}`

use serde_json::json;

use super::head_of_staff;
use tests::support::{Api, budgets::within, shows};

#[tokio::test]
async fn an_admin_lists_and_deletes_the_tokens_of_others() {
    let (api, [ada]) = Api::signed_in(["ada"]).await;
    let mia = api.user("mia").await;
    let (first, one) = api.token_and_id_of(&mia, json!({})).await;
    let (second, two) = api.token_and_id_of(&mia, json!({"name": "import"})).await;
    let path = format!("/api/users/{}/tokens", mia.id);
    api.counter.take();
    let answer = ada.get(&path).await;
    let tokens = within(&api, "GET /api/users/{id}/tokens", 200, &answer);
    shows!(tokens, {"/0/id": one, "/1/id": two});
    shows!(tokens, {"/0/name": "export", "/1/name": "import"});
    assert!(!answer.text.contains("hash"));
    let of_first = format!("{path}/{one}");
    let answer = ada.delete(&of_first).await;
    within(
        &api,
        "DELETE /api/users/{id}/tokens/{tokenId}",
        204,
        &answer,
    );
    first
        .get("/api/tasks")
        .await
        .expect_problem(401, "unauthenticated");
    second.get("/api/tasks").await.expect(200);
    ada.delete(&of_first).await.expect_problem(404, "not_found");
    let rest = ada.get(&path).await;
    assert_eq!(rest.ids().len(), 1);
}

#[tokio::test]
async fn only_tokens_of_users_whom_the_caller_may_change() {
    let api = Api::start().await;
    let max = head_of_staff(&api).await;
    let ada = api.user("ada").await;
    let (script, id) = api.token_and_id_of(&ada, json!({})).await;
    let path = format!("/api/users/{}/tokens", ada.id);
    let one = format!("{path}/{id}");
    max.get(&path)
        .await
        .expect_problem(403, "permission_denied");
    max.delete(&one)
        .await
        .expect_problem(403, "permission_denied");
    let mia = api.sign_in("mia").await;
    mia.get(&path)
        .await
        .expect_problem(403, "permission_denied");
    // Another organization's users are absent, and so are tokens of another user.
    let zoe = api.sign_in("zoe").await;
    zoe.get(&path).await.expect_problem(404, "not_found");
    zoe.delete(&one).await.expect_problem(404, "not_found");
    let of_mia = format!("/api/users/{}/tokens/{id}", mia.id());
    max.delete(&of_mia).await.expect_problem(404, "not_found");
    script.get("/api/tasks").await.expect(200);
    // A token lists and deletes none.
    script
        .get(&path)
        .await
        .expect_problem(403, "session_required");
    script
        .delete(&one)
        .await
        .expect_problem(403, "session_required");
}
