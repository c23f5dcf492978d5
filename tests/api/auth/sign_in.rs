//! `GET /api/auth/sign-in`, and passwords that are off

use serde_json::{Value, json};
use shared::model::SignInFault;

use tests::support::{Api, Caller, OidcProvider, PASSWORD, budgets::within, operations, shows};

async fn ways(caller: &Caller, name: &str) -> Value {
    caller
        .get(&format!("/api/auth/sign-in?username={name}"))
        .await
        .expect(200)
}

fn answer(passwords: bool, organization: Option<i64>) -> Value {
    let path = |id| format!("/api/auth/oidc?organization={id}");
    json!({"passwords": passwords, "provider": organization.map(path)})
}

/// A provider of organization 1, by which ada and mia signed in. Passwords are off.
async fn with_passwords_off(api: &Api) -> OidcProvider {
    let provider = api.has_provider(json!({})).await;
    for name in ["ada", "mia"] {
        api.has_address(name, &format!("{name}@example.com")).await;
        let claims =
            json!({"sub": name, "email": format!("{name}@example.com"), "email_verified": true});
        provider
            .signs_in(&api.anonymous(), claims)
            .await
            .expect(302);
    }
    api.sets_provider(&provider, json!({"passwords": "off"}))
        .await;
    provider
}

#[tokio::test]
async fn a_username_is_answered_with_its_ways() {
    let api = Api::start().await;
    for name in ["mia", "sue", "zac"] {
        api.user(name).await;
    }
    api.counter.take();
    let none = api.anonymous().get("/api/auth/sign-in?username=mia").await;
    let none = within(&api, "GET /api/auth/sign-in", 200, &none);
    assert_eq!(none, answer(true, None));
    with_passwords_off(&api).await;
    let nobody = api.anonymous();
    assert_eq!(ways(&nobody, "MIA").await, answer(false, Some(1)));
    // Not bound yet: the first sign-in binds.
    assert_eq!(ways(&nobody, "sue").await, answer(true, Some(1)));
    assert_eq!(ways(&nobody, "zac").await, answer(true, None));
    nobody
        .get("/api/auth/sign-in")
        .await
        .expect_faults(&[("?username", "required")]);
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
        let caller = api.anonymous().at(&format!("198.51.100.{}", number / 10));
        let way = ways(&caller, &format!("nobody{number}")).await;
        assert_eq!(ways(&caller, &format!("NOBODY{number}")).await, way);
        seen.push(way);
    }
    // Two of seven users are bound, and three more are of the provider.
    for (way, least) in [
        (answer(false, Some(1)), 6),
        (answer(true, Some(1)), 12),
        (answer(true, None), 6),
    ] {
        let count = seen.iter().filter(|one| **one == way).count();
        assert!(count >= least, "{way}: {count} of 60");
    }
}

#[tokio::test]
async fn a_network_asks_for_thirty_usernames_in_a_quarter_of_an_hour() {
    let api = Api::start().await;
    let nobody = api.anonymous();
    for number in 0..30 {
        ways(&nobody, &format!("nobody{number}")).await;
    }
    let path = "/api/auth/sign-in?username=ada";
    let refused = nobody.get(path).await;
    refused.expect_problem(429, "too_many_attempts");
    assert_eq!(refused.header("retry-after"), Some("900"));
    nobody
        .clone()
        .at("198.51.100.9")
        .get(path)
        .await
        .expect(200);
    // Sign-ins have a count of their own.
    api.user("mia").await;
    let login = json!({"username": "mia", "password": PASSWORD});
    nobody.post("/api/auth/login", login).await.expect(200);
    api.clock.advance(15 * 60_000);
    nobody.get(path).await.expect(200);
}

#[tokio::test]
async fn with_passwords_off_a_bound_user_has_no_password() {
    let api = Api::start().await;
    let sue = api.user("sue").await;
    let provider = with_passwords_off(&api).await;
    let login = |name: &str, password: &str| json!({"username": name, "password": password});
    let nobody = api.anonymous();
    let sign_in = async |name: &str, password: &str| {
        let login = login(name, password);
        nobody.post("/api/auth/login", login).await
    };
    sign_in("mia", PASSWORD)
        .await
        .expect_problem(403, "password_sign_in_off");
    // A wrong one is answered as any other.
    sign_in("mia", "a wrong password")
        .await
        .expect_problem(401, "invalid_credentials");
    sign_in("sue", PASSWORD).await.expect(200);
    let mia = api.sign_in("mia").await;
    let change =
        json!({"currentPassword": PASSWORD, "newPassword": "another horse battery staple"});
    mia.put("/api/auth/password", change)
        .await
        .expect_problem(403, "password_sign_in_off");
    let (ada, set) = (
        api.sign_in("ada").await,
        json!({"password": "another horse battery staple"}),
    );
    let path = format!("/api/users/{}/password", mia.id());
    ada.put(&path, set.clone())
        .await
        .expect_problem(403, "password_sign_in_off");
    ada.put(&format!("/api/users/{}/password", sue.id), set)
        .await
        .expect(204);
    // The operator's way out.
    api.store
        .providers()
        .allow_passwords(api.home.id)
        .await
        .unwrap();
    sign_in("mia", PASSWORD).await.expect(200);
    assert_eq!(ways(&nobody, "mia").await, answer(true, Some(1)));
    let entries = ada.walk("/api/journal").await;
    let last = entries
        .iter()
        .rfind(|entry| entry["event"] == "sign_in_changed")
        .unwrap();
    assert_eq!(last["actor"]["type"], "operator");
    shows!(last, {"before": {"passwords": "off"}, "after": {"passwords": "allowed"}});
    // Without the provider, nobody is bound to it.
    api.sets_provider(&provider, json!({"passwords": "off"}))
        .await;
    ada.delete("/api/organizations/1/sign-in").await.expect(204);
    sign_in("mia", PASSWORD).await.expect(200);
}

#[tokio::test]
async fn the_document_names_all_faults_of_a_sign_in_by_a_provider() {
    let mut all = operations().iter();
    let callback = all.find(|one| one.path == "/api/auth/oidc/callback");
    let text = callback.unwrap().described["description"].to_string();
    for fault in SignInFault::ALL {
        assert!(text.contains(fault.name()), "{}", fault.name());
    }
}
