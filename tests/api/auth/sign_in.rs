//! `GET /api/auth/sign-in`, and passwords that are off

use serde_json::{Value, json};
use shared::model::people::SignInFault;
use tests::support::{Api, Caller, OidcProvider, PASSWORD, operations, refused, rows_where, shows};

use crate::invitations::invited;

async fn ways(caller: &Caller, name: &str) -> Value {
    let path = format!("/api/auth/sign-in?username={name}");
    caller.reads(&path).await
}

fn answer(passwords: bool, organization: Option<i64>) -> Value {
    let path = |id| format!("/api/auth/oidc?organization={id}");
    json!({"passwords": passwords, "provider": organization.map(path)})
}

/// A provider of organization 1, by which ada and mia signed in. Passwords are off.
async fn with_passwords_off(api: &Api) -> OidcProvider {
    let provider = api.has_provider(json!({})).await;
    for name in ["ada", "mia"] {
        api.is_bound(name, &provider.issuer)
            .await;
    }
    switches_off(api, &provider).await;
    provider
}

/// Has ada switch passwords off, who signs in by the provider.
async fn switches_off(api: &Api, provider: &OidcProvider) {
    let nobody = api.anonymous();
    let answer = provider
        .signs_in(&nobody, json!({"sub": "sub-ada"}))
        .await;
    let ada = nobody.with_cookie(answer.session());
    let off = provider.put(&json!({"passwords": "off"}));
    ada.puts("/api/organizations/1/sign-in", off)
        .await;
}

#[tokio::test]
async fn a_username_is_answered_with_its_ways() {
    let api = Api::start().await;
    for name in ["mia", "sue", "zac"] {
        api.user(name).await;
    }
    let without_provider = api
        .anonymous()
        .reads("/api/auth/sign-in?username=mia")
        .await;
    assert_eq!(without_provider, answer(true, None));
    with_passwords_off(&api).await;
    let nobody = api.anonymous();
    assert_eq!(ways(&nobody, "MIA").await, answer(false, Some(1)));
    // Not bound yet.
    assert_eq!(ways(&nobody, "sue").await, answer(false, Some(1)));
    assert_eq!(ways(&nobody, "zac").await, answer(true, None));
}

#[tokio::test]
async fn a_username_that_does_not_exist_has_one_of_these_ways_and_keeps_it() {
    let api = Api::start().await;
    for name in ["ada", "max", "mia", "sue", "vic", "zoe", "zac"] {
        api.user(name).await;
    }
    with_passwords_off(&api).await;
    let mut seen = Vec::new();
    for number in 0..60 {
        let caller = api
            .anonymous()
            .at(&format!("198.51.100.{}", number / 10));
        let way = ways(&caller, &format!("nobody{number}")).await;
        assert_eq!(ways(&caller, &format!("NOBODY{number}")).await, way);
        seen.push(way);
    }
    // Five of seven users are of the provider.
    for (way, least) in [(answer(false, Some(1)), 18), (answer(true, None), 6)] {
        let count = seen
            .iter()
            .filter(|seen_way| **seen_way == way)
            .count();
        assert!(count >= least, "{way}: {count} of 60");
    }
}

#[tokio::test]
async fn a_network_asks_for_thirty_usernames_that_do_not_exist_in_a_quarter_of_an_hour() {
    let (api, [_]) = Api::signed_in(["mia"]).await;
    let nobody = api.anonymous();
    for number in 0..30 {
        ways(&nobody, &format!("nobody{number}")).await;
    }
    // Then no name is answered, so that none is told apart.
    for name in ["ada", "nobody"] {
        let path = format!("/api/auth/sign-in?username={name}");
        let refused = nobody.get(&path).await;
        refused.expect_problem(429, "too_many_attempts");
        assert_eq!(refused.header("retry-after"), Some("900"));
    }
    ways(&nobody.clone().at("198.51.100.9"), "ada").await;
    // Sign-ins have a count of their own.
    nobody
        .logs_in("mia", PASSWORD)
        .await
        .expect(200);
    api.clock.advance(15 * 60_000);
    ways(&nobody, "ada").await;
}

#[tokio::test]
async fn an_office_behind_one_address_signs_in_at_nine() {
    let (api, [_]) = Api::signed_in(["mia"]).await;
    api.has_provider(json!({})).await;
    let office = api.anonymous();
    for _ in 0..29 {
        ways(&office, "nobody").await;
    }
    for _ in 0..40 {
        assert_eq!(ways(&office, "mia").await, answer(true, Some(1)));
    }
    // The count of names that do not exist went on.
    ways(&office, "nobody").await;
    let refused = office
        .get("/api/auth/sign-in?username=mia")
        .await;
    refused.expect_problem(429, "too_many_attempts");
}

#[tokio::test]
async fn an_invitation_is_answered_with_its_ways() {
    let api = Api::start().await;
    let nobody = api.anonymous();
    let token = invited(&api, "grace@example.com", "member").await;
    let path = format!("/api/auth/sign-in?invitation={token}");
    assert_eq!(nobody.reads(&path).await, answer(true, None));
    with_passwords_off(&api).await;
    assert_eq!(nobody.reads(&path).await, answer(false, Some(1)));
    refused!(nobody.get("/api/auth/sign-in?invitation=x").await => 403, "invitation_invalid");
    for neither_or_both in ["", "?username=mia&invitation=x"] {
        let refused = nobody
            .get(&format!("/api/auth/sign-in{neither_or_both}"))
            .await;
        refused.expect_faults(&[("?username", "combination")]);
    }
}

#[tokio::test]
async fn with_passwords_off_no_user_has_a_password() {
    let (api, [sue]) = Api::with_users(["sue"]).await;
    let provider = with_passwords_off(&api).await;
    let nobody = api.anonymous();
    let ada = api.sign_in("ada").await;
    let mia = api.sign_in("mia").await;
    refused!(nobody.logs_in("mia", PASSWORD).await => 403, "password_sign_in_off");
    // A wrong one is answered as any other.
    refused!(nobody.logs_in("mia", "a wrong password").await => 401, "invalid_credentials");
    refused!(nobody.logs_in("sue", PASSWORD).await => 403, "password_sign_in_off");
    let new = "another horse battery staple";
    let change = json!({"currentPassword": PASSWORD, "newPassword": new});
    let of_mia = format!("/api/users/{}/password", mia.id());
    let set = json!({"password": new});
    for refused in [
        mia.put("/api/auth/password", change)
            .await,
        ada.put(&of_mia, set.clone()).await,
        ada.put(&format!("/api/users/{}/password", sue.id), set)
            .await,
    ] {
        refused.expect_problem(403, "password_sign_in_off");
    }
    // The operator's way out.
    let providers = api.store.providers();
    providers
        .allow_passwords(api.home.id)
        .await
        .unwrap();
    nobody
        .logs_in("mia", PASSWORD)
        .await
        .expect(200);
    assert_eq!(ways(&nobody, "mia").await, answer(true, Some(1)));
    let entries = ada.walk("/api/journal").await;
    let last = rows_where(&entries, "event", "sign_in_changed")
        .pop()
        .unwrap();
    shows!(last, {"/actor/type": "operator", "before": {"passwords": "off"}});
    shows!(last, {"after": {"passwords": "allowed"}});
    // Without the provider, nobody is bound to it.
    switches_off(&api, &provider).await;
    ada.deletes("/api/organizations/1/sign-in")
        .await;
    nobody
        .logs_in("mia", PASSWORD)
        .await
        .expect(200);
}

#[tokio::test]
async fn the_document_names_all_faults_of_a_sign_in_by_a_provider() {
    let mut operations = operations().iter();
    let path = "/api/auth/oidc/callback/{organization}";
    let callback = operations.find(|operation| operation.path == path);
    let text = callback.unwrap().described["description"].to_string();
    for fault in SignInFault::ALL {
        assert!(text.contains(fault.name()), "{}", fault.name());
    }
}
