//! `GET /api/auth/oidc/callback`: what is refused

use serde_json::json;
use shared::model::base::span;
use tests::support::PASSWORD;

use super::{World, failed, person, unknown};

#[tokio::test]
async fn a_state_is_of_its_browser_and_of_use_once() {
    let world = World::start(json!({"defaultRole": "member"})).await;
    // Without the cookie, with another one, and with another state.
    let (browser, back) = world.begins().await;
    let (other, _) = world.begins().await;
    unknown(&world.api.anonymous().get(&back).await, "state_invalid");
    unknown(&other.get(&back).await, "state_invalid");
    let without_state = browser
        .get("/api/auth/oidc/callback/1?code=x")
        .await;
    unknown(&without_state, "state_invalid");
    world
        .api
        .clock
        .advance(10 * span::MINUTE);
    unknown(&browser.get(&back).await, "state_invalid");
    // A replay, also of a sign-in that failed.
    let (browser, back) = world.begins().await;
    world
        .user_of(&browser.get(&back).await)
        .await;
    failed(&browser.get(&back).await, "state_invalid");
    let (browser, back) = world.begins().await;
    let without_code = back.replace("code=", "x=");
    failed(&browser.get(&without_code).await, "provider_refused");
    failed(&browser.get(&back).await, "state_invalid");
}

#[tokio::test]
async fn a_code_is_of_use_once_and_only_with_its_verifier() {
    let world = World::start(json!({"defaultRole": "member"})).await;
    let code = |back: &str| {
        let (_, rest) = back.split_once("code=").unwrap();
        rest.split('&')
            .next()
            .unwrap()
            .to_owned()
    };
    let (first, back) = world.begins().await;
    let (second, second_back) = world.begins().await;
    // The code of another sign-in, which has another verifier.
    let mixed = second_back.replace(&code(&second_back), &code(&back));
    failed(&second.get(&mixed).await, "code_invalid");
    // The provider has forgotten it by now.
    failed(&first.get(&back).await, "code_invalid");
}

#[tokio::test]
async fn keys_are_read_again_once_for_an_unknown_one() {
    let world = World::start(json!({"defaultRole": "member"})).await;
    for _ in 0..2 {
        world.user("grace", json!({})).await;
    }
    assert_eq!(world.provider.keys_read(), 1);
    world.provider.rotates();
    world.user("grace", json!({})).await;
    assert_eq!(world.provider.keys_read(), 2);
    // Another one within 30 seconds costs the provider nothing, and neither does a token of
    // nobody's key.
    world.provider.hides_its_key();
    for (seconds, reads) in [(29, 2), (1, 3), (29, 3), (1, 4)] {
        world
            .api
            .clock
            .advance(seconds * span::SECOND);
        world
            .refuses("grace", json!({}), "token_invalid")
            .await;
        assert_eq!(world.provider.keys_read(), reads);
    }
}

#[tokio::test]
async fn a_forged_state_is_none() {
    let world = World::start(json!({"defaultRole": "member"})).await;
    let (browser, back) = world.begins().await;
    let cookie = browser.cookie.clone().unwrap();
    // It has its own members alone, and no secret of the deployment, so that it cannot be long.
    assert!(cookie.len() < 1_000, "{}", cookie.len());
    let (name, value) = cookie.split_once('=').unwrap();
    let (state, signature) = value.split_once('.').unwrap();
    let mia = world
        .api
        .sign_in("mia")
        .await
        .cookie
        .unwrap();
    let nobody = world.api.anonymous();
    for forged in [
        format!("{name}={state}"),
        format!("{name}={}.{signature}", &state[1..]),
        format!("{name}={}", mia.split_once('=').unwrap().1),
    ] {
        let answer = nobody
            .clone()
            .with_cookie(forged)
            .get(&back)
            .await;
        unknown(&answer, "state_invalid");
    }
    // It is no session either.
    let as_session = format!("connect.sid={value}");
    nobody
        .with_cookie(as_session)
        .is_signed_out()
        .await;
    world
        .user_of(&browser.get(&back).await)
        .await;
}

#[tokio::test]
async fn a_network_with_thirty_failures_waits() {
    let world = World::start(json!({"defaultRole": "member"})).await;
    for _ in 0..30 {
        let (browser, back) = world.begins().await;
        let without_code = back.replace("code=", "x=");
        failed(&browser.get(&without_code).await, "provider_refused");
    }
    world
        .refuses("grace", json!({}), "too_many_attempts")
        .await;
    // Passwords of the same network have a count of their own.
    world.api.user("mia").await;
    let login = world
        .api
        .anonymous()
        .logs_in("mia", PASSWORD)
        .await;
    login.expect(200);
    let elsewhere = world.api.anonymous().at("198.51.100.9");
    let grace = person("grace", &json!({}));
    let signed_in = world
        .provider
        .signs_in(&elsewhere, grace)
        .await;
    world.user_of(&signed_in).await;
    world
        .api
        .clock
        .advance(15 * span::MINUTE);
    world.user("grace", json!({})).await;
}
