//! `DELETE /api/invitations/{id}`

use serde_json::Value;
use tests::support::Api;

use super::{accepting, grace};

#[tokio::test]
async fn a_deleted_invitation_has_a_dead_link() {
    let (api, [ada]) = Api::signed_in(["ada"]).await;
    let mut mailbox = api.mailbox().await;
    ada.posts("/api/invitations", grace())
        .await;
    let token = mailbox.token().await;
    ada.deletes("/api/invitations/1").await;
    assert_eq!(ada.walk("/api/invitations").await, [Value::Null; 0]);
    let dead = api
        .anonymous()
        .post("/api/auth/accept", accepting(&token))
        .await;
    dead.expect_problem(403, "invitation_invalid");
    for (method, path) in [
        ("DELETE", "/api/invitations/1"),
        ("POST", "/api/invitations/1/send"),
    ] {
        ada.send(method, path, None)
            .await
            .expect_not_found();
    }
}
