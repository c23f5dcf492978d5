//! `POST /api/auth/forgot`

use serde_json::{Value, json};
use shared::model::{base::span, updates::Letter};
use tests::support::{Api, Caller, patches};

const PATH: &str = "/api/auth/forgot";

async fn forgets(caller: &Caller, member: &str, name: &str) {
    let answer = caller
        .post(PATH, json!({member: name}))
        .await;
    assert_eq!(answer.expect(204), Value::Null);
}

#[tokio::test]
async fn a_verified_address_gets_a_link_by_either_name() {
    let (api, [mia]) = Api::with_users(["mia"]).await;
    api.has_verified(&mia, "Mia@example.com")
        .await;
    let mut mailbox = api.mailbox().await;
    let names = ["mia@EXAMPLE.com", " Mia@example.com\n"];
    let names = names
        .map(|name| ("email", name))
        .into_iter();
    for (member, name) in names.chain([("username", "MIA")]) {
        forgets(&api.anonymous(), member, name).await;
        let mail = mailbox.mail().await;
        let recipient = (mail.to.as_str(), mail.user_id);
        assert_eq!(recipient, ("Mia@example.com", Some(mia.id)));
        let Letter::PasswordReset {
            username,
            link,
            expires_at,
        } = &mail.letter
        else {
            panic!("{mail:?}");
        };
        assert_eq!(username, "mia");
        assert_eq!(expires_at.since(api.clock.now()), span::HOUR);
        let token = api.app.links.token(link).unwrap();
        assert!(
            !api.table_dump()
                .await
                .join("\n")
                .contains(&token)
        );
    }
}

#[tokio::test]
async fn nobody_else_gets_a_mail_and_the_answer_is_the_same() {
    let (api, [ada]) = Api::signed_in(["ada"]).await;
    let [mia, sue] = [api.user("mia").await, api.user("sue").await];
    api.has_verified(&sue, "sue@example.com")
        .await;
    let [mia, sue] = [mia, sue].map(|user| format!("/api/users/{}", user.id));
    // It is not verified.
    ada.patches(&mia, json!({"email": "mia@example.com"}))
        .await;
    patches!(ada, &sue, {"disabled": true});
    let mut mailbox = api.mailbox().await;
    for (member, name) in [
        ("email", "mia@example.com"),
        ("username", "mia"),
        ("email", "sue@example.com"),
        ("username", "ada"),
        ("email", "nobody@example.com"),
        ("username", "nobody"),
    ] {
        forgets(&api.anonymous(), member, name).await;
    }
    assert!(mailbox.news().await.is_empty());
}

/// A name without an account takes as many requests and units as one with an account.
#[tokio::test]
async fn the_work_is_the_same_for_every_name() {
    let (api, [mia]) = Api::with_users(["mia"]).await;
    api.has_verified(&mia, "mia@example.com")
        .await;
    let costs = async |member: &str, name: &str| {
        let body = json!({member: name});
        api.counter.take();
        let (answer, used) = shared::store::metered(api.anonymous().post(PATH, body)).await;
        answer.expect(204);
        (api.counter.take(), used.read_units.to_bits())
    };
    let by_username = costs("username", "mia").await;
    assert_eq!(costs("username", "nobody").await, by_username);
    assert_eq!(costs("username", "ada").await, by_username);
    let by_email = costs("email", "mia@example.com").await;
    assert_eq!(
        costs("email", "nobody@example.com")
            .await
            .0,
        by_email.0
    );
}

#[tokio::test]
async fn an_address_in_two_organizations_gets_a_mail_for_each_account() {
    let api = Api::start().await;
    for name in ["mia", "zac"] {
        api.has_verified(&api.user(name).await, "same@example.com")
            .await;
    }
    let mut mailbox = api.mailbox().await;
    forgets(&api.anonymous(), "email", "same@example.com").await;
    let mails = mailbox.news().await.into_iter();
    let mut names: Vec<String> = mails
        .map(|mail| match mail.letter {
            Letter::PasswordReset { username, .. } => username,
            other => panic!("{other:?}"),
        })
        .collect();
    names.sort();
    assert_eq!(names, ["mia", "zac"]);
}

#[tokio::test]
async fn an_account_gets_three_mails_an_hour_and_a_network_asks_for_twenty() {
    let api = Api::start().await;
    let nobody = api.anonymous();
    for name in ["mia", "vic"] {
        let email = format!("{name}@example.com");
        api.has_verified(&api.user(name).await, &email)
            .await;
    }
    let mut mailbox = api.mailbox().await;
    for (member, name) in [
        ("username", "mia"),
        ("email", "mia@example.com"),
        ("username", "Mia"),
    ] {
        forgets(&nobody, member, name).await;
        mailbox.mail().await;
    }
    for (member, name) in [("username", "mia"), ("email", "mia@example.com")] {
        forgets(&nobody, member, name).await;
        assert!(mailbox.news().await.is_empty());
    }
    for number in 0..15 {
        forgets(&nobody, "username", &format!("nobody{number}")).await;
    }
    forgets(&nobody, "username", "vic").await;
    assert!(mailbox.news().await.is_empty());
    forgets(&nobody.clone().at("198.51.100.9"), "username", "vic").await;
    mailbox.mail().await;
    api.clock.advance(span::HOUR);
    forgets(&nobody, "username", "mia").await;
    mailbox.mail().await;
}

#[tokio::test]
async fn bad_bodies_are_refused_and_without_mail_nothing_is_sent() {
    let api = Api::start().await;
    let nobody = api.anonymous();
    let both = json!({"email": "mia@example.com", "username": "mia"});
    for (body, fault) in [
        (json!({}), ("", "required")),
        (both, ("/username", "combination")),
        (json!({"email": "mia"}), ("/email", "pattern")),
    ] {
        nobody
            .post(PATH, body)
            .await
            .expect_faults(&[fault]);
    }
    api.has_verified(&api.user("mia").await, "mia@example.com")
        .await;
    let mut mailbox = api.mailbox().await;
    let without = nobody.before(api.instances_without_mail().await);
    forgets(&without, "username", "mia").await;
    assert!(mailbox.news().await.is_empty());
}
