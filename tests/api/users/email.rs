//! `email` of users: unique in an organization, and seen by few

use serde_json::{Value, json};
use tests::support::{Api, patches, posts, refused, shows, statuses};

use super::{head_of_staff, ingrid};

fn with_email(email: &str) -> Value {
    let mut body = ingrid();
    body["email"] = json!(email);
    body
}

#[tokio::test]
async fn an_address_is_seen_by_its_user_and_by_those_who_manage_users() {
    let (api, [ada]) = Api::signed_in(["ada"]).await;
    let mia = api.sign_in("mia").await;
    let vic = api.sign_in("vic").await;
    let path = format!("/api/users/{}", mia.id());
    let set = patches!(ada, &path, {"email": "Mia@Example.com"});
    shows!(set, {"email": "Mia@Example.com", "emailVerifiedAt": null});
    for (caller, sees) in [(&ada, true), (&mia, true), (&vic, false)] {
        let seen = caller.reads(&path).await;
        let rows = caller
            .walk("/api/users?query=mia")
            .await;
        let expected = sees.then(|| set["email"].clone());
        let expected = expected.unwrap_or_default();
        assert_eq!(seen["email"], expected);
        assert_eq!(rows[0]["email"], expected);
    }
    let session = mia.reads("/api/auth/session").await;
    shows!(session["user"], {"email": "Mia@Example.com", "emailVerifiedAt": null});
    // No list finds a user by it.
    assert_eq!(
        vic.walk("/api/users?query=example")
            .await,
        [Value::Null; 0]
    );
}

#[tokio::test]
async fn a_domain_in_other_letters_is_one_with_its_punycode() {
    let (api, [ada]) = Api::signed_in(["ada"]).await;
    let made = ada
        .posts("/api/users", with_email(" Ingrid@Bücher.example "))
        .await;
    assert_eq!(made["email"], "Ingrid@xn--bcher-kva.example");
    let mia = format!("/api/users/{}", api.user("mia").await.id);
    for same in ["ingrid@bücher.example", "ingrid@XN--BCHER-KVA.example"] {
        let taken = ada
            .patch(&mia, json!({"email": same}))
            .await;
        taken.expect_problem(409, "email_taken");
    }
    let invited = posts!(ada, "/api/invitations", {"email": "info@例え.テスト ", "role": "member"});
    assert_eq!(invited["email"], "info@xn--r8jz45g.xn--zckzah");
    refused!(ada.patch(&mia, json!({"email": "info@bü cher.example"})).await => [("/email", "pattern")]);
}

#[tokio::test]
async fn an_address_is_one_users_in_an_organization_in_every_case() {
    let (api, [ada, zoe]) = Api::signed_in(["ada", "zoe"]).await;
    let lower = with_email("ingrid@example.com");
    let id = ada.creates("/api/users", lower).await;
    let ingrid = format!("/api/users/{id}");
    let mia = format!("/api/users/{}", api.user("mia").await.id);
    let email = |email: Option<&str>| json!({ "email": email });
    let mut other = with_email("INGRID@example.COM");
    other["username"] = json!("another");
    let before = api.records().await;
    for taken in [
        ada.post("/api/users", other.clone())
            .await,
        ada.patch(&mia, email(Some("Ingrid@Example.com")))
            .await,
    ] {
        taken.expect_problem(409, "email_taken");
    }
    assert_eq!(before, api.records().await);
    // Another organization has users of its own.
    zoe.posts("/api/users", other).await;
    // A user who gave it up makes room.
    for (path, address) in [
        (&ingrid, Some("INGRID@example.com")),
        (&ingrid, None),
        (&mia, Some("ingrid@example.com")),
    ] {
        let changed = ada.patches(path, email(address)).await;
        assert_eq!(changed["email"], json!(address));
    }
}

#[tokio::test]
async fn one_of_two_requests_for_an_address_gets_it() {
    let (api, [ada]) = Api::signed_in(["ada"]).await;
    let paths = [api.user("mia").await.id, api.user("vic").await.id];
    let paths = paths.map(|id| format!("/api/users/{id}"));
    let email = json!({"email": "shared@example.com"});
    let answers = paths
        .each_ref()
        .map(|path| ada.patch(path, email.clone()));
    let answers = futures::future::join_all(answers).await;
    assert_eq!(statuses(&answers), [200, 409]);
}

#[tokio::test]
async fn an_address_is_changed_in_a_session_by_one_who_manages_users() {
    let api = Api::start().await;
    let max = head_of_staff(&api).await;
    let ada = api.user("ada").await;
    let mia = api.sign_in("mia").await;
    let of_ada = format!("/api/users/{}", ada.id);
    let of_mia = format!("/api/users/{}", mia.id());
    let email = json!({"email": "new@example.com"});
    let script = api.token_of(&ada, json!({})).await;
    let before = max.reads(&of_mia).await;
    for (caller, path, code) in [
        (&script, &of_mia, "session_required"),
        (&mia, &of_mia, "permission_denied"),
        (&max, &of_ada, "permission_denied"),
    ] {
        refused!(caller.patch(path, email.clone()).await => 403, code);
    }
    assert_eq!(before, max.reads(&of_mia).await);
    max.patches(&of_mia, email).await;
}
