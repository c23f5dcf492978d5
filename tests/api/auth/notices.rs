//! Notices by mail: the password or the address of an account changed

use serde_json::json;
use shared::model::updates::{AccountChange, Letter};
use tests::support::{Api, PASSWORD, patches, puts};

const NEW: &str = "a horse of another colour";

fn change(letter: Letter) -> AccountChange {
    match letter {
        Letter::PasswordChanged(change) | Letter::EmailChanged(change) => change,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_new_password_is_told_whoever_set_it() {
    let (api, [ada, mia]) = Api::signed_in(["ada", "mia"]).await;
    api.has_verified(&api.user("mia").await, "mia@example.com")
        .await;
    let mut mailbox = api.mailbox().await;
    let own = json!({"currentPassword": PASSWORD, "newPassword": NEW});
    mia.at("198.51.100.9")
        .puts("/api/auth/password", own)
        .await;
    let mail = mailbox.mail().await;
    let recipient = (mail.to.as_str(), mail.user_id);
    assert_eq!(
        recipient,
        ("mia@example.com", api.user("mia").await.id.into())
    );
    let notice = change(mail.letter);
    assert_eq!(
        (notice.username.as_str(), notice.at),
        ("mia", api.clock.now())
    );
    assert_eq!(notice.network.as_deref(), Some("198.51.100.0/24"));
    let path = format!("/api/users/{}/password", api.user("mia").await.id);
    puts!(ada, &path, {"password": PASSWORD});
    let notice = change(mailbox.mail().await.letter);
    assert_eq!(notice.network.as_deref(), Some("203.0.113.0/24"));
    // A user without an address gets none.
    let path = format!("/api/users/{}/password", api.user("vic").await.id);
    puts!(ada, &path, {"password": PASSWORD});
    assert!(mailbox.news().await.is_empty());
}

#[tokio::test]
async fn a_new_address_is_told_to_the_old_one() {
    let (api, [ada]) = Api::signed_in(["ada"]).await;
    let mia = api.user("mia").await;
    let path = format!("/api/users/{}", mia.id);
    api.has_verified(&mia, "old@example.com")
        .await;
    let mut mailbox = api.mailbox().await;
    for (email, to) in [
        (json!("new@example.com"), "old@example.com"),
        (json!("newer@example.com"), "new@example.com"),
        (json!(null), "newer@example.com"),
    ] {
        patches!(ada, &path, {"email": email});
        let mail = mailbox.mail().await;
        assert_eq!(mail.to, to);
        assert_eq!(
            change(mail.letter).network.as_deref(),
            Some("203.0.113.0/24")
        );
    }
    api.has_verified(&mia, "old@example.com")
        .await;
    let token = api
        .has_link_to_confirm(&mia, "new@example.com")
        .await;
    mailbox.news().await;
    let nobody = api.anonymous();
    let confirmed = nobody.post("/api/auth/email/confirm", json!({"token": token}));
    confirmed.await.expect(204);
    let mail = mailbox.mail().await;
    assert_eq!(mail.to, "old@example.com");
    assert!(matches!(mail.letter, Letter::EmailChanged(_)), "{mail:?}");
    // Another spelling of the same address is told nobody.
    patches!(ada, &path, {"email": "NEW@example.com"});
    assert!(mailbox.news().await.is_empty());
}

#[tokio::test]
async fn a_deployment_without_mail_writes_no_notice() {
    let (api, [ada]) = Api::signed_in(["ada"]).await;
    let mia = api.user("mia").await;
    api.has_verified(&mia, "mia@example.com")
        .await;
    let ada = ada.before(api.instances_without_mail().await);
    let mut mailbox = api.mailbox().await;
    let path = format!("/api/users/{}", mia.id);
    let password = json!({"password": PASSWORD});
    ada.puts(&format!("{path}/password"), password)
        .await;
    patches!(ada, &path, {"email": null});
    assert!(mailbox.news().await.is_empty());
}
