//! `GET /api/auth/oidc/callback`: what is refused

use serde_json::{Value, json};

use super::{failed, person, session_of, user_of, users_of};
use tests::support::Api;

const BEGIN: &str = "/api/auth/oidc?organization=1&return=/%23/tasks";

#[tokio::test]
async fn a_token_with_a_fault_makes_nothing() {
    let api = Api::start().await;
    let provider = api.has_provider(json!({"defaultRole": "admin"})).await;
    let before = users_of(&api).await;
    let now = api.clock.now().epoch_seconds();
    for fault in [
        json!({"aud": "another"}),
        json!({"aud": ["workdesk", "another"]}),
        json!({"azp": "another"}),
        json!({"iss": "https://login.example.com"}),
        json!({"nonce": "another"}),
        json!({"nonce": null}),
        json!({"exp": now}),
        json!({"exp": null}),
        json!({"header": {"alg": "none"}}),
        json!({"header": {"alg": "HS256"}}),
        json!({"header": {"alg": "RS256"}}),
        json!({"header": {"forged": true}}),
    ] {
        // Thirty failures would close the network.
        let caller = api
            .anonymous()
            .at(&format!("198.51.100.{}", fault.to_string().len()));
        let answer = provider.signs_in(&caller, person("grace", &fault)).await;
        failed(&answer, "token_invalid");
    }
    assert_eq!(users_of(&api).await, before);
}

#[tokio::test]
async fn a_state_is_of_its_browser_and_of_use_once() {
    let api = Api::start().await;
    let provider = api.has_provider(json!({"defaultRole": "member"})).await;
    let begin = async || {
        provider
            .begins(&api.anonymous(), BEGIN, person("grace", &json!({})))
            .await
    };
    // Without the cookie, with another one, and with another state.
    let (browser, back) = begin().await;
    let (other, other_back) = begin().await;
    let stranger = api.anonymous().get(&back).await;
    assert_eq!(stranger.header("location"), Some("/#sign-in=state_invalid"));
    failed(&other.get(&back).await, "state_invalid");
    failed(
        &browser.get("/api/auth/oidc/callback?code=x").await,
        "state_invalid",
    );
    // Ten minutes.
    api.clock.advance(600_000);
    let late = browser.get(&back).await;
    assert_eq!(late.header("location"), Some("/#sign-in=state_invalid"));
    drop(other_back);
    // A replay, also of a sign-in that failed.
    let (browser, back) = begin().await;
    user_of(&api, &browser.get(&back).await).await;
    failed(&browser.get(&back).await, "state_invalid");
    let (browser, back) = begin().await;
    let without_code = back.replace("code=", "x=");
    failed(&browser.get(&without_code).await, "provider_refused");
    failed(&browser.get(&back).await, "state_invalid");
}

#[tokio::test]
async fn a_code_is_of_use_once_and_only_with_its_verifier() {
    let api = Api::start().await;
    let provider = api.has_provider(json!({"defaultRole": "member"})).await;
    let begin = async || {
        provider
            .begins(&api.anonymous(), BEGIN, person("grace", &json!({})))
            .await
    };
    let code = |back: &str| {
        let (_, rest) = back.split_once("code=").unwrap();
        rest.split('&').next().unwrap().to_owned()
    };
    let (first, back) = begin().await;
    let (second, second_back) = begin().await;
    // The code of another sign-in, which has another verifier.
    let mixed = second_back.replace(&code(&second_back), &code(&back));
    failed(&second.get(&mixed).await, "code_invalid");
    // The provider has forgotten it by now.
    failed(&first.get(&back).await, "code_invalid");
}

#[tokio::test]
async fn keys_are_read_again_once_for_an_unknown_one() {
    let api = Api::start().await;
    let provider = api.has_provider(json!({"defaultRole": "member"})).await;
    let sign_in = async || {
        provider
            .signs_in(&api.anonymous(), person("grace", &json!({})))
            .await
    };
    user_of(&api, &sign_in().await).await;
    user_of(&api, &sign_in().await).await;
    assert_eq!(provider.keys_read(), 1);
    provider.rotates();
    user_of(&api, &sign_in().await).await;
    assert_eq!(provider.keys_read(), 2);
    provider.hides_its_key();
    failed(&sign_in().await, "token_invalid");
    assert_eq!(provider.keys_read(), 3);
}

#[tokio::test]
async fn a_forged_state_is_none() {
    let api = Api::start().await;
    let provider = api.has_provider(json!({"defaultRole": "member"})).await;
    let (browser, back) = provider
        .begins(&api.anonymous(), BEGIN, person("grace", &json!({})))
        .await;
    let cookie = browser.cookie.clone().unwrap();
    let (name, value) = cookie.split_once('=').unwrap();
    let (state, signature) = value.split_once('.').unwrap();
    let mia = api.sign_in("mia").await.cookie.unwrap();
    for forged in [
        format!("{name}={state}"),
        format!("{name}={}.{signature}", &state[1..]),
        format!("{name}={}", mia.split_once('=').unwrap().1),
    ] {
        let answer = api.anonymous().with_cookie(forged).get(&back).await;
        assert_eq!(answer.header("location"), Some("/#sign-in=state_invalid"));
    }
    // It is no session either.
    let as_session = cookie.replace("connect.oidc", "connect.sid");
    api.anonymous()
        .with_cookie(as_session)
        .get("/api/auth/session")
        .await
        .expect(401);
    user_of(&api, &browser.get(&back).await).await;
}

#[tokio::test]
async fn a_network_with_thirty_failures_waits() {
    let api = Api::start().await;
    let provider = api.has_provider(json!({"defaultRole": "member"})).await;
    let grace = person("grace", &json!({}));
    for _ in 0..30 {
        let (browser, back) = provider
            .begins(&api.anonymous(), BEGIN, grace.clone())
            .await;
        failed(
            &browser.get(&back.replace("code=", "x=")).await,
            "provider_refused",
        );
    }
    let answer = provider.signs_in(&api.anonymous(), grace.clone()).await;
    failed(&answer, "too_many_attempts");
    let elsewhere = api.anonymous().at("198.51.100.9");
    session_of(&api, &provider.signs_in(&elsewhere, grace.clone()).await);
    api.clock.advance(15 * 60_000);
    session_of(&api, &provider.signs_in(&api.anonymous(), grace).await);
}

/// Its own members are what the service sends, so a state cannot be long.
#[tokio::test]
async fn a_state_shows_no_secret_of_the_deployment() {
    let api = Api::start().await;
    let provider = api.has_provider(json!({})).await;
    let (browser, _) = provider.begins(&api.anonymous(), BEGIN, Value::Null).await;
    let cookie = browser.cookie.unwrap();
    assert!(cookie.len() < 1_000, "{}", cookie.len());
}
