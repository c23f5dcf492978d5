//! `POST /api/invitations`

use serde_json::{Value, json};
use shared::model::{Letter, span};

use super::grace;
use crate::{
    journal::{Reader, by_session},
    users::head_of_staff,
};
use tests::support::Api;

#[tokio::test]
async fn an_invitation_is_mailed_with_a_link_of_which_the_table_has_a_hash() {
    let (api, [ada]) = Api::signed_in(["ada"]).await;
    let (mut mailbox, mut reader) = (api.mailbox().await, Reader::of(&api).await);
    let made = ada.post("/api/invitations", grace()).await.expect(200);
    assert_eq!(
        made,
        json!({
            "id": 1, "email": "grace@example.com", "role": "member", "fullName": "Grace Okafor",
            "invitedBy": {"id": ada.id(), "username": "ada", "fullName": "Ada Tester"},
            "createdAt": "2026-01-15T12:00:00.000Z", "sentAt": "2026-01-15T12:00:00.000Z",
            "expiresAt": "2026-01-22T12:00:00.000Z", "acceptedAt": null, "version": 1,
        })
    );
    let mail = mailbox.mail().await;
    assert_eq!(
        (mail.to.as_str(), mail.user_id),
        ("grace@example.com", None)
    );
    let Letter::Invitation {
        invited_by,
        link,
        expires_at,
        ..
    } = &mail.letter
    else {
        panic!("{mail:?}");
    };
    assert_eq!(invited_by, "Ada Tester");
    assert_eq!(expires_at.since(api.clock.now()), 7 * span::DAY);
    let token = api.app.links.token(link).unwrap();
    assert!(!api.table_dump().await.join("\n").contains(&token));
    let after = json!({
        "email": "grace@example.com", "role": "member", "fullName": "Grace Okafor",
    });
    let subjects = json!(["invitation:1"]);
    let created = by_session(&ada, "invitation_created", subjects, [Value::Null, after]);
    assert_eq!(reader.news().await, [created]);
}

#[tokio::test]
async fn no_caller_invites_to_a_role_above_their_own_or_with_a_token() {
    let api = Api::start().await;
    let max = head_of_staff(&api).await;
    let script = api.token_of(&api.user("ada").await, json!({})).await;
    let mia = api.sign_in("mia").await;
    let before = api.records().await;
    let mut admin = grace();
    admin["role"] = json!("admin");
    for (caller, body, code) in [
        (&max, admin, "permission_denied"),
        (&mia, grace(), "permission_denied"),
        (&script, grace(), "session_required"),
    ] {
        let refused = caller.post("/api/invitations", body).await;
        refused.expect_problem(403, code);
    }
    assert_eq!(before, api.records().await);
    max.post("/api/invitations", grace()).await.expect(200);
}

#[tokio::test]
async fn an_address_of_a_user_is_not_invited() {
    let (api, [ada, zoe]) = Api::signed_in(["ada", "zoe"]).await;
    let mia = api.user("mia").await;
    api.has_verified(&mia, "GRACE@example.com").await;
    let mut mailbox = api.mailbox().await;
    let taken = ada.post("/api/invitations", grace()).await;
    taken.expect_problem(409, "email_taken");
    assert!(mailbox.news().await.is_empty());
    // In another organization she may be a user, too.
    zoe.post("/api/invitations", grace()).await.expect(200);
}

#[tokio::test]
async fn bad_bodies_are_refused_with_their_places() {
    let (api, [ada]) = Api::signed_in(["ada"]).await;
    let before = api.records().await;
    for (body, faults) in [
        (
            json!({}),
            &[("/email", "required"), ("/role", "required")][..],
        ),
        (
            json!({"email": "grace", "role": "owner", "fullName": "Grace\r\nBcc: eve@example.com"}),
            &[
                ("/email", "pattern"),
                ("/role", "value"),
                ("/fullName", "pattern"),
            ],
        ),
    ] {
        let refused = ada.post("/api/invitations", body).await;
        refused.expect_faults(faults);
    }
    assert_eq!(before, api.records().await);
}

#[tokio::test]
async fn a_plan_has_fifty_invitations_a_day() {
    let (api, [ada, zoe]) = Api::signed_in(["ada", "zoe"]).await;
    let invites = async |number: i32| {
        let body = json!({"email": format!("user{number}@example.com"), "role": "viewer"});
        ada.post("/api/invitations", body).await
    };
    for number in 1..50 {
        invites(number).await.expect(200);
    }
    // To send one again counts as well.
    let again = ada.trigger("/api/invitations/1/send").await;
    again.expect(200);
    let before = api.records().await;
    let refused = invites(51).await;
    refused.expect_problem(429, "rate_limited");
    assert_eq!(refused.header("retry-after"), Some("43200"));
    let again = ada.trigger("/api/invitations/2/send").await;
    again.expect_problem(429, "rate_limited");
    assert_eq!(before, api.records().await);
    zoe.post("/api/invitations", grace()).await.expect(200);
    api.clock.advance(12 * span::HOUR);
    invites(51).await.expect(200);
}

#[tokio::test]
async fn without_mail_nobody_is_invited() {
    let (api, [ada]) = Api::signed_in(["ada"]).await;
    ada.post("/api/invitations", grace()).await.expect(200);
    let without = ada.before(api.instances_without_mail().await);
    let before = api.records().await;
    for (path, body) in [
        ("/api/invitations", Some(grace().to_string())),
        ("/api/invitations/1/send", None),
    ] {
        let refused = without.send("POST", path, body).await;
        refused.expect_problem(409, "mail_not_configured");
    }
    assert_eq!(before, api.records().await);
}
