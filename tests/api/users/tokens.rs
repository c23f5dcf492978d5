//! `GET /api/users/{id}/tokens` and `DELETE /api/users/{id}/tokens/{tokenId}`

use serde_json::json;
use tests::support::{Api, shows};

use super::head_of_staff;

#[tokio::test]
async fn an_admin_lists_and_deletes_the_tokens_of_others() {
    let (api, [ada]) = Api::signed_in(["ada"]).await;
    let mia = api.user("mia").await;
    let (first, first_id) = api
        .token_and_id_of(&mia, json!({}))
        .await;
    let (second, second_id) = api
        .token_and_id_of(&mia, json!({"name": "import"}))
        .await;
    let path = format!("/api/users/{}/tokens", mia.id);
    let answer = ada.get(&path).await;
    let tokens = answer.expect(200);
    shows!(tokens, {"/0/id": first_id, "/1/id": second_id});
    shows!(tokens, {"/0/name": "export", "/1/name": "import"});
    assert!(!answer.text.contains("hash"));
    let of_first = format!("{path}/{first_id}");
    ada.deletes(&of_first).await;
    first.is_signed_out().await;
    second.reads("/api/tasks").await;
    ada.delete(&of_first)
        .await
        .expect_not_found();
    assert_eq!(ada.get(&path).await.ids().len(), 1);
}

#[tokio::test]
async fn only_tokens_of_users_whom_the_caller_may_change() {
    let api = Api::start().await;
    let max = head_of_staff(&api).await;
    let ada = api.user("ada").await;
    let (script, id) = api
        .token_and_id_of(&ada, json!({}))
        .await;
    let path = format!("/api/users/{}/tokens", ada.id);
    let mia = api.sign_in("mia").await;
    for caller in [&max, &mia] {
        caller.get(&path).await.expect_denied();
        caller
            .delete(&format!("{path}/{id}"))
            .await
            .expect_denied();
    }
    let of_mia = format!("/api/users/{}/tokens/{id}", mia.id());
    max.delete(&of_mia)
        .await
        .expect_not_found();
    script.is_signed_in().await;
}
