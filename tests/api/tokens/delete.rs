//! `DELETE /api/tokens/{id}`

use futures::future::join_all;
use serde_json::json;
use tests::support::{Api, statuses};

#[tokio::test]
async fn a_deleted_token_ends_at_once() {
    let (api, [user]) = Api::with_users(["mia"]).await;
    let mia = api.session_of(&user).await;
    let (script, id) = api
        .token_and_id_of(&user, json!({}))
        .await;
    script.reads("/api/tasks").await;
    let path = format!("/api/tokens/{id}");
    let deletes = join_all((0..4).map(|_| mia.delete(&path))).await;
    assert_eq!(statuses(&deletes), [204, 404, 404, 404]);
    script.is_signed_out().await;
    // Nothing is left of it.
    for kind in ["token", "token_holder"] {
        assert_eq!(api.items_of(kind).await, []);
    }
}

#[tokio::test]
async fn another_users_token_is_absent() {
    let api = Api::start().await;
    let (script, id) = api
        .token_and_id_of(&api.user("mia").await, json!({}))
        .await;
    for name in ["ada", "zoe"] {
        let caller = api.sign_in(name).await;
        let path = format!("/api/tokens/{id}");
        caller
            .delete(&path)
            .await
            .expect_not_found();
    }
    script.reads("/api/tasks").await;
}
