//! `POST /api/invitations`

use serde_json::{Value, json};
use shared::model::{
    base::{Id, span},
    updates::Letter,
};
use tests::support::{Api, patches, refused, snapshot};

use crate::{
    journal::{Reader, by_session},
    users::head_of_staff,
};

use super::{accepting, grace};

#[tokio::test]
async fn an_invitation_is_mailed_with_a_link_of_which_the_table_has_a_hash() {
    let (api, [ada]) = Api::signed_in(["ada"]).await;
    let mut mailbox = api.mailbox().await;
    let mut reader = Reader::of(&api).await;
    let made = ada
        .posts("/api/invitations", grace())
        .await;
    snapshot!(made, @r#"
    {
      "acceptedAt": null,
      "createdAt": "2026-01-15T12:00:00.000Z",
      "email": "grace@example.com",
      "expiresAt": "2026-01-22T12:00:00.000Z",
      "fullName": "Grace Okafor",
      "id": 1,
      "invitedBy": {"fullName": "Ada Tester", "id": 1, "username": "ada"},
      "role": "member",
      "sentAt": "2026-01-15T12:00:00.000Z",
      "version": 1
    }
    "#);
    let mail = mailbox.mail().await;
    let recipient = (mail.to.as_str(), mail.user_id);
    assert_eq!(recipient, ("grace@example.com", None));
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
    assert!(
        !api.table_dump()
            .await
            .join("\n")
            .contains(&token)
    );
    let after = json!({
        "email": "grace@example.com", "role": "member", "fullName": "Grace Okafor",
    });
    let subjects = json!(["invitation:1"]);
    let created = by_session(&ada, "invitation_created", subjects, [Value::Null, after]);
    assert_eq!(reader.news().await, [created]);
}

#[tokio::test]
async fn no_caller_invites_to_a_role_above_their_own() {
    let api = Api::start().await;
    let max = head_of_staff(&api).await;
    let before = api.records().await;
    let mut admin = grace();
    admin["role"] = json!("admin");
    max.post("/api/invitations", admin)
        .await
        .expect_denied();
    assert_eq!(before, api.records().await);
    max.posts("/api/invitations", grace())
        .await;
}

#[tokio::test]
async fn an_address_of_a_user_is_not_invited() {
    let (api, [ada, zoe]) = Api::signed_in(["ada", "zoe"]).await;
    let mia = api.user("mia").await;
    api.has_verified(&mia, "GRACE@example.com")
        .await;
    let mut mailbox = api.mailbox().await;
    refused!(ada.post("/api/invitations", grace()).await => 409, "email_taken");
    assert!(mailbox.news().await.is_empty());
    // In another organization she may be a user, too.
    zoe.posts("/api/invitations", grace())
        .await;
}

/// An address has one open invitation. Another one ends it, with its role.
#[tokio::test]
async fn another_invitation_of_an_address_ends_the_first() {
    let (api, [ada]) = Api::with_users(["ada"]).await;
    let invited = |role: &str| json!({"email": "grace@example.com", "role": role});
    let (_, first) = api
        .has_invitation(&ada, invited("admin"))
        .await;
    let (second, token) = api
        .has_invitation(&ada, invited("viewer"))
        .await;
    let ada = api.sign_in("ada").await;
    let open = ada.walk("/api/invitations").await;
    assert_eq!(open.len(), 1);
    assert_eq!(open[0]["id"], second.get());
    let nobody = api.anonymous();
    refused!(nobody.post("/api/auth/accept", accepting(&first)).await => 403, "invitation_invalid");
    // Nor does the end of the second one bring the first one back.
    ada.deletes(&format!("/api/invitations/{second}"))
        .await;
    for dead in [first, token] {
        let answer = nobody
            .post("/api/auth/accept", accepting(&dead))
            .await;
        refused!(answer => 403, "invitation_invalid");
    }
}

#[tokio::test]
async fn of_invitations_at_once_one_stays_open() {
    let (_, [ada]) = Api::signed_in(["ada"]).await;
    let invites = |_| ada.post("/api/invitations", grace());
    for answer in futures::future::join_all((0..4).map(invites)).await {
        answer.expect(200);
    }
    assert_eq!(ada.walk("/api/invitations").await.len(), 1);
}

#[tokio::test]
async fn an_address_that_a_user_has_since_has_no_open_invitation() {
    let (_, [ada, mia]) = Api::signed_in(["ada", "mia"]).await;
    ada.posts("/api/invitations", grace())
        .await;
    let path = format!("/api/users/{}", mia.id());
    patches!(ada, &path, {"email": "Grace@example.com"});
    assert!(
        ada.walk("/api/invitations")
            .await
            .is_empty()
    );
    refused!(ada.trigger("/api/invitations/1/send").await => 409, "email_taken");
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
    ada.triggers("/api/invitations/1/send")
        .await;
    let before = api.records().await;
    let refused = invites(51).await;
    refused.expect_problem(429, "rate_limited");
    assert_eq!(refused.header("retry-after"), Some("43200"));
    refused!(ada.trigger("/api/invitations/2/send").await => 429, "rate_limited");
    assert_eq!(before, api.records().await);
    zoe.posts("/api/invitations", grace())
        .await;
    api.clock.advance(12 * span::HOUR);
    invites(51).await.expect(200);
}

#[tokio::test]
async fn without_mail_nobody_is_invited() {
    let (api, [ada]) = Api::signed_in(["ada"]).await;
    ada.posts("/api/invitations", grace())
        .await;
    let without = ada.before(api.instances_without_mail().await);
    let before = api.records().await;
    for (path, body) in [
        ("/api/invitations", Some(grace().to_string())),
        ("/api/invitations/1/send", None),
    ] {
        refused!(without.send("POST", path, body).await => 409, "mail_not_configured");
    }
    assert_eq!(before, api.records().await);
}
