//! The redirect URI of each organization, and the issuer of an answer (RFC 9207, RFC 9700)

use serde_json::json;
use tests::support::{OidcProvider, shows};

use super::{World, failed, person};

const PATH: &str = "/api/organizations/1/sign-in";

/// The mix-up attack of RFC 9700, 4.4: a hostile organization's provider sends its user on to the
/// provider of another organization, to get a code of that user.
#[tokio::test]
async fn a_code_of_another_organizations_provider_goes_nowhere() {
    let world = World::start(json!({"defaultRole": "member"})).await;
    let api = &world.api;
    let honest = &world.provider;
    let evil = OidcProvider::start(&api.clock).await;
    let zoe = api.sign_in("zoe").await;
    let put = evil.put(&json!({"defaultRole": "member"}));
    zoe.puts("/api/organizations/2/sign-in", put)
        .await;
    // The attacker begins at the honest provider, and keeps state, nonce and challenge.
    let attacker = api.anonymous().get(super::BEGIN).await;
    let lent = attacker
        .header("location")
        .unwrap()
        .to_owned();
    // The victim follows a link to the hostile organization.
    let victim = api
        .anonymous()
        .get("/api/auth/oidc?organization=2")
        .await;
    let state = |location: &str| {
        let (_, rest) = location.split_once("state=").unwrap();
        rest.split('&')
            .next()
            .unwrap()
            .to_owned()
    };
    let of_victim = state(victim.header("location").unwrap());
    let sent_on = lent.replace(&state(&lent), &of_victim);
    let vera = person("vera", &json!({}));
    let back = honest.sends_back(&sent_on, &vera);
    assert!(back.starts_with("/api/auth/oidc/callback/1?"), "{back}");
    let cookie = victim
        .cookie()
        .split(';')
        .next()
        .unwrap();
    let victim = api.anonymous().with_cookie(cookie);
    failed(&victim.get(&back).await, "state_invalid");
    // Neither at the redirect URI that all organizations once shared.
    let former = back.replace("callback/1?", "callback?");
    failed(&victim.get(&former).await, "state_invalid");
    assert_eq!(evil.codes_got(), [""; 0]);
    assert_eq!(honest.codes_got(), [""; 0]);
    // At the redirect URI of the hostile organization, the answer names the honest issuer.
    let misdirected = back.replace("callback/1?", "callback/2?");
    let misdirected = format!("{misdirected}&iss={}", honest.issuer);
    failed(&victim.get(&misdirected).await, "state_invalid");
    assert_eq!(evil.codes_got(), [""; 0]);
}

#[tokio::test]
async fn the_issuer_of_an_answer_is_compared() {
    let world = World::start(json!({"defaultRole": "member"})).await;
    let (browser, back) = world.begins().await;
    for issuer in ["https://evil.example", "", "null"] {
        let answer = browser
            .get(&format!("{back}&iss={issuer}"))
            .await;
        failed(&answer, "state_invalid");
    }
    assert_eq!(world.provider.codes_got(), [""; 0]);
    let own = &world.provider.issuer;
    let (browser, back) = world.begins().await;
    let answer = browser
        .get(&format!("{back}&iss={own}"))
        .await;
    world.user_of(&answer).await;
    // A provider that says so names it always, also in a refusal.
    let names_issuer = json!({"authorization_response_iss_parameter_supported": true});
    world.provider.describes(names_issuer);
    let ada = world.api.sign_in("ada").await;
    ada.puts(
        PATH,
        world
            .provider
            .put(&json!({"defaultRole": "member"})),
    )
    .await;
    let code_count = world.provider.codes_got();
    let (browser, back) = world.begins().await;
    failed(&browser.get(&back).await, "state_invalid");
    let (browser, back) = world.begins().await;
    let refused = back.replace("code=", "x=");
    failed(&browser.get(&refused).await, "state_invalid");
    assert_eq!(world.provider.codes_got(), code_count);
    let (browser, back) = world.begins().await;
    let answer = browser
        .get(&format!("{back}&iss={own}"))
        .await;
    world.user_of(&answer).await;
}

#[tokio::test]
async fn an_organization_of_before_keeps_its_redirect_uri_until_it_changes() {
    let world = World::start(json!({"defaultRole": "member"})).await;
    world.was_set_up_before().await;
    let ada = world.api.sign_in("ada").await;
    let own = "https://api.workdesk.example/api/auth/oidc/callback/1";
    let provider = ada.reads(PATH).await;
    shows!(provider, {"redirectUri": own, "ownRedirectUri": false});
    let (browser, back) = world.begins().await;
    assert!(back.starts_with("/api/auth/oidc/callback?"), "{back}");
    world
        .user_of(&browser.get(&back).await)
        .await;
    // An answer at the other redirect URI is not of this sign-in.
    let (browser, back) = world.begins().await;
    let at_own = back.replace("callback?", "callback/1?");
    failed(&browser.get(&at_own).await, "state_invalid");
    // Another setting, and a new secret, leave the registered URI as it is.
    for more in [
        json!({"defaultRole": "viewer"}),
        json!({"ownRedirectUri": false}),
    ] {
        let provider = ada
            .puts(PATH, world.provider.put(&more))
            .await;
        assert_eq!(provider["ownRedirectUri"], false, "{more}");
    }
    // The admins registered the new one. A sign-in of before the change begins anew.
    let (browser, back) = world.begins().await;
    let own = json!({"defaultRole": "viewer", "ownRedirectUri": true});
    ada.puts(PATH, world.provider.put(&own))
        .await;
    failed(&browser.get(&back).await, "state_invalid");
    let (browser, back) = world.begins().await;
    assert!(back.starts_with("/api/auth/oidc/callback/1?"), "{back}");
    world
        .user_of(&browser.get(&back).await)
        .await;
    // None goes back.
    let back = json!({"defaultRole": "viewer", "ownRedirectUri": false});
    let provider = ada
        .puts(PATH, world.provider.put(&back))
        .await;
    assert_eq!(provider["ownRedirectUri"], true);
}

#[tokio::test]
async fn another_client_or_issuer_has_the_organizations_own_redirect_uri() {
    let world = World::start(json!({"defaultRole": "member"})).await;
    let ada = world.api.sign_in("ada").await;
    let other = OidcProvider::start(&world.api.clock).await;
    for put in [
        world
            .provider
            .put(&json!({"clientId": "another"})),
        other.put(&json!({})),
    ] {
        world.was_set_up_before().await;
        let provider = ada.puts(PATH, put).await;
        assert_eq!(provider["ownRedirectUri"], true, "{provider}");
    }
}
