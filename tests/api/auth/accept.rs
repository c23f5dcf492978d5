//! `POST /api/auth/accept`

use futures::future::join_all;
use serde_json::{Value, json};
use shared::model::base::span;
use tests::support::{Api, patches, refused, snapshot, statuses};

use crate::{
    invitations::{accepting, grace},
    journal::{Reader, entry},
};

const PATH: &str = "/api/auth/accept";

#[tokio::test]
async fn an_invitee_makes_the_account_and_is_signed_in() {
    let (api, [ada]) = Api::signed_in(["ada"]).await;
    let mut mailbox = api.mailbox().await;
    ada.posts("/api/invitations", grace())
        .await;
    let token = mailbox.token().await;
    let mut reader = Reader::of(&api).await;
    let nobody = api.anonymous();
    let answer = nobody
        .post(PATH, accepting(&token))
        .await;
    let user = answer.expect(200);
    snapshot!(user, @r#"
    {
      "email": "grace@example.com",
      "emailVerifiedAt": "2026-01-15T12:00:00.000Z",
      "fullName": "Grace Okafor",
      "id": 2,
      "organizationId": 1,
      "role": "member",
      "username": "grace"
    }
    "#);
    let (cookie, attributes) = answer
        .cookie()
        .split_once("; ")
        .unwrap();
    assert_eq!(attributes, "Path=/; HttpOnly; SameSite=Lax; Secure");
    let grace = nobody.clone().with_cookie(cookie);
    assert_eq!(grace.reads("/api/auth/session").await["user"], user);
    grace.creates_task(json!({})).await;
    let login = nobody
        .logs_in("grace", "a horse of another colour")
        .await;
    login.expect(200);
    let subject = format!("user:{}", user["id"]);
    let by_grace = |event: &str, subjects: Value, after: Value| {
        let values = [Value::Null, after];
        entry(user["id"].as_i64(), Value::Null, event, subjects, values)
    };
    let created = json!({
        "username": "grace", "fullName": "Grace Okafor", "role": "member",
        "email": "grace@example.com", "permissions": [], "disabled": false,
    });
    let accepted = json!({"email": "grace@example.com"});
    let both = json!(["invitation:1", subject]);
    let expected = [
        by_grace("user_created", json!([subject]), created),
        by_grace("invitation_accepted", both, accepted),
    ];
    let mut news = reader.news().await;
    news.retain(|entry| entry["event"] != "signed_in");
    assert_eq!(news, expected);
    // It is fresh, since another user made it: an inviter could invite an address of their own, and
    // approve by it.
    let user = api.account("grace").await;
    assert_eq!(user.password_set_by, ada.user);
    assert_eq!(user.fresh_until(), Some(api.clock.now().plus(span::DAY)));
}

#[tokio::test]
async fn a_dead_used_or_foreign_link_gets_one_answer() {
    let (api, [ada, max]) = Api::with_users(["ada", "max"]).await;
    let nobody = api.anonymous();
    let with_email = |email: &str| json!({"email": email, "role": "member"});
    let (_, used) = api
        .has_invitation(&ada, with_email("a@example.com"))
        .await;
    let (_, old) = api
        .has_invitation(&ada, with_email("b@example.com"))
        .await;
    let (_, of_max) = api
        .has_invitation(&max, with_email("c@example.com"))
        .await;
    let sue = api.user("sue").await;
    let as_viewer = json!({"email": "d@example.com", "role": "viewer"});
    let (_, of_sue) = api
        .has_invitation(&sue, as_viewer)
        .await;
    let mia = api.user("mia").await;
    let confirm = api
        .has_link_to_confirm(&mia, "mia@example.com")
        .await;
    nobody
        .posts(PATH, accepting(&used))
        .await;
    // A demoted inviter, and a disabled one.
    let admin = api.sign_in("ada").await;
    for (user, change) in [
        (max.id, json!({"role": "viewer"})),
        (sue.id, json!({"disabled": true})),
    ] {
        admin
            .patches(&format!("/api/users/{user}"), change)
            .await;
    }
    let mut texts = Vec::new();
    for token in [&used, &of_max, &of_sue, &confirm, "unknown"] {
        let mut body = accepting(token);
        body["username"] = json!("another");
        let refused = nobody.post(PATH, body).await;
        let mut problem = refused.expect_problem(403, "invitation_invalid");
        for member in ["instance", "requestId"] {
            problem
                .as_object_mut()
                .unwrap()
                .remove(member);
        }
        texts.push(problem);
    }
    assert!(
        texts
            .iter()
            .all(|text| *text == texts[0]),
        "{texts:?}"
    );
    let mut body = accepting(&old);
    body["username"] = json!("another");
    api.clock.advance(7 * span::DAY);
    refused!(nobody.post(PATH, body).await => 403, "invitation_invalid");
}

#[tokio::test]
async fn a_taken_name_or_address_leaves_the_link_alive() {
    let (api, [ada]) = Api::with_users(["ada"]).await;
    let nobody = api.anonymous();
    let (_, token) = api.has_invitation(&ada, grace()).await;
    let before = api.records().await;
    for (member, value, status, code) in [
        ("username", "ADA", 409, "username_taken"),
        ("password", "short", 400, "validation_error"),
        ("fullName", "Grace\r\nBcc: eve", 400, "validation_error"),
    ] {
        let mut body = accepting(&token);
        body[member] = json!(value);
        nobody
            .post(PATH, body)
            .await
            .expect_problem(status, code);
    }
    let foreign = nobody
        .clone()
        .with_header("origin", "https://evil.example");
    refused!(foreign.post(PATH, accepting(&token)).await => 403, "cross_site");
    assert_eq!(before, api.records().await);
    api.has_verified(&api.user("mia").await, "grace@example.com")
        .await;
    refused!(nobody.post(PATH, accepting(&token)).await => 409, "email_taken");
    let admin = api.sign_in("ada").await;
    let mia = format!("/api/users/{}", api.user("mia").await.id);
    patches!(admin, &mia, {"email": null});
    nobody
        .posts(PATH, accepting(&token))
        .await;
}

#[tokio::test]
async fn one_of_many_requests_with_a_link_makes_the_account() {
    let api = Api::start().await;
    let (_, token) = api
        .has_invitation(&api.user("ada").await, grace())
        .await;
    let mut body = accepting(&token);
    body["username"] = json!("another");
    let nobody = api.anonymous();
    let accepts = [accepting(&token), body].map(|body| nobody.post(PATH, body));
    assert_eq!(statuses(&join_all(accepts).await), [200, 403]);
}
