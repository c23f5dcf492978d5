//! `POST /api/invitations/{id}/send`

use serde_json::json;
use shared::model::base::span;
use tests::support::{Api, refused, shows};

use crate::users::head_of_staff;

use super::{accepting, grace};

#[tokio::test]
async fn the_new_link_lasts_and_the_old_one_is_dead() {
    let (api, [ada]) = Api::signed_in(["ada"]).await;
    head_of_staff(&api).await;
    let mut mailbox = api.mailbox().await;
    ada.posts("/api/invitations", grace())
        .await;
    let old = mailbox.token().await;
    api.clock.advance(8 * span::DAY);
    let ada = api
        .session_of(&api.user("ada").await)
        .await;
    let max = api
        .session_of(&api.user("max").await)
        .await;
    let sent = max
        .triggers("/api/invitations/1/send")
        .await;
    shows!(sent, {"sentAt": "2026-01-23T12:00:00.000Z", "expiresAt": "2026-01-30T12:00:00.000Z"});
    assert_eq!(sent["createdAt"], "2026-01-15T12:00:00.000Z");
    // Whoever sends it answers for it.
    shows!(sent, {"/invitedBy/username": "max", "version": 2});
    let new = mailbox.token().await;
    let nobody = api.anonymous();
    refused!(nobody.post("/api/auth/accept", accepting(&old)).await => 403, "invitation_invalid");
    nobody
        .posts("/api/auth/accept", accepting(&new))
        .await;
    refused!(ada.trigger("/api/invitations/1/send").await => 409, "invalid_transition");
}

#[tokio::test]
async fn it_is_sent_again_five_times_a_day() {
    let (api, [ada]) = Api::signed_in(["ada"]).await;
    ada.posts("/api/invitations", grace())
        .await;
    for _ in 0..5 {
        ada.triggers("/api/invitations/1/send")
            .await;
    }
    let before = api.records().await;
    let refused = ada
        .trigger("/api/invitations/1/send")
        .await;
    refused.expect_problem(429, "rate_limited");
    assert_eq!(refused.header("retry-after"), Some("43200"));
    assert_eq!(before, api.records().await);
    api.clock.advance(12 * span::HOUR);
    ada.triggers("/api/invitations/1/send")
        .await;
}

#[tokio::test]
async fn no_caller_sends_an_invitation_to_a_role_above_their_own() {
    let api = Api::start().await;
    let ada = api.sign_in("ada").await;
    let max = head_of_staff(&api).await;
    let mut admin = grace();
    admin["role"] = json!("admin");
    ada.posts("/api/invitations", admin)
        .await;
    let before = api.records().await;
    for (method, path) in [
        ("POST", "/api/invitations/1/send"),
        ("DELETE", "/api/invitations/1"),
    ] {
        max.send(method, path, None)
            .await
            .expect_denied();
    }
    assert_eq!(before, api.records().await);
}
