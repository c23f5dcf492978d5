//! `DELETE /api/invitations/{id}`

use serde_json::{Value, json};

use super::{accepting, grace};
use tests::support::Api;

#[tokio::test]
async fn a_deleted_invitation_has_a_dead_link() {
    let (api, [ada]) = Api::signed_in(["ada"]).await;
    let mut mailbox = api.mailbox().await;
    ada.post("/api/invitations", grace()).await.expect(200);
    let token = mailbox.token().await;
    let stale = ada.clone().with_header("if-match", "\"7\"");
    let refused = stale.delete("/api/invitations/1").await;
    refused.expect_problem(412, "precondition_failed");
    ada.delete("/api/invitations/1").await.expect(204);
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
        let gone = ada.send(method, path, None).await;
        gone.expect_problem(404, "not_found");
    }
    let script = api.token_of(&api.user("ada").await, json!({})).await;
    let refused = script.delete("/api/invitations/1").await;
    refused.expect_problem(403, "session_required");
}
