//! The claims of ID tokens: verified ones, read ones, and all others

use serde_json::{Value, json};
use tests::support::Log;

use super::{World, failed};

/// Each claim with a fault, and the path that the log names.
fn faults(now: i64) -> Vec<(Value, &'static str)> {
    vec![
        (json!({"aud": "another"}), "claims.aud"),
        (json!({"aud": ["another", "a third"]}), "claims.aud"),
        (json!({"aud": []}), "claims.aud"),
        (json!({"aud": null}), "claims.aud"),
        (json!({"aud": {"workdesk": true}}), "claims.aud"),
        (json!({"azp": "another"}), "claims.azp"),
        (
            json!({"aud": ["workdesk", "another"], "azp": "another"}),
            "claims.azp",
        ),
        (json!({"azp": ["workdesk"]}), "claims.azp"),
        (json!({"iss": "https://login.example.com"}), "claims.iss"),
        (json!({"iss": null}), "claims.iss"),
        (json!({"nonce": "another"}), "claims.nonce"),
        (json!({"nonce": null}), "claims.nonce"),
        (json!({"exp": now - 60}), "claims.exp"),
        (json!({"exp": null}), "claims.exp"),
        (json!({"exp": "tomorrow"}), "claims.exp"),
        (json!({"nbf": now + 61}), "claims.nbf"),
        (json!({"nbf": "tomorrow"}), "claims.nbf"),
        (json!({"sub": ""}), "claims.sub"),
        (json!({"sub": "  "}), "claims.sub"),
        (json!({"sub": null}), "claims.sub"),
        (json!({"sub": true}), "claims.sub"),
        (json!({"sub": "a".repeat(256)}), "claims.sub"),
        (json!({"header": {"alg": "none"}}), "header.alg"),
        (json!({"header": {"alg": "HS256"}}), "header.alg"),
        (json!({"header": {"alg": "RS256"}}), "signature"),
        (json!({"header": {"crit": ["exp"]}}), "header.crit"),
        (json!({"header": {"forged": true}}), "signature"),
        (
            json!({"header": {"kid": "unknown"}}),
            "a key that the provider does not show",
        ),
    ]
}

#[tokio::test]
async fn a_token_with_a_fault_makes_nothing_and_the_log_names_the_claim() {
    let world = World::start(json!({"defaultRole": "admin"})).await;
    let before = world.names().await;
    let log = Log::begin();
    for (fault, path) in faults(world.api.clock.now().epoch_seconds()) {
        world
            .refuses("grace", fault.clone(), "token_invalid")
            .await;
        let causes = log.take();
        let is_named = |line: &Value| line.to_string().contains(path);
        assert!(causes.iter().any(is_named), "{fault}: {causes:?}");
    }
    assert_eq!(world.names().await, before);
}

#[tokio::test]
async fn clocks_may_differ_by_a_minute_and_other_audiences_may_be_there() {
    let world = World::start(json!({"defaultRole": "member"})).await;
    let now = world.api.clock.now().epoch_seconds();
    for right in [
        json!({"exp": now - 59}),
        json!({"exp": (now + 300).to_string()}),
        json!({"nbf": now + 60}),
        json!({"nbf": null, "azp": null}),
        json!({"iat": now + 600}),
        json!({"aud": ["workdesk"]}),
        // As of ZITADEL and Keycloak.
        json!({"aud": ["a project", "workdesk"], "azp": "workdesk"}),
        json!({"aud": ["workdesk", "another"]}),
        json!({"header": {"kid": null}}),
        json!({"header": {"typ": "at+jwt", "jku": "https://evil.example", "jwk": {"kty": "oct", "k": "eA"}}}),
    ] {
        world.user("grace", right).await;
    }
    // Some providers send a number.
    let number = world
        .user("seven", json!({"sub": 7}))
        .await;
    assert_eq!(
        world
            .user("seven", json!({"sub": "7"}))
            .await["id"],
        number["id"]
    );
}

/// Claims of OpenID Connect Core 5.1 without a use here, in the types of providers and in others.
fn unneeded() -> Value {
    json!({
        "updated_at": "2026-01-14T09:30:00.000Z", "amr": "pwd", "acr": 1, "address": "1 Main Street",
        "gender": 1, "birthdate": {"year": 1990}, "locale": ["en"], "zoneinfo": 0, "phone_number": 4_791_234_567_i64,
        "phone_number_verified": "yes", "picture": null, "website": false, "given_name": {"en": "Grace"},
        "family_name": [], "nickname": 7, "profile": "", "at_hash": 1, "c_hash": [], "sid": {}, "jti": 3,
        "iat": "today", "events": [], "cnf": "x", "email_verified": "yes", "preferred_username": 5, "name": ["Grace"],
    })
}

#[tokio::test]
async fn what_nobody_needs_is_ignored_whatever_its_type() {
    let world = World::start(json!({"defaultRole": "member"})).await;
    world.provider.answers(json!({
        "expires_in": "3600", "token_type": null, "scope": ["openid"], "refresh_token": 1, "not-before-policy": 0,
    }));
    let grace = world.user("grace", unneeded()).await;
    assert_eq!(grace["emailVerifiedAt"], Value::Null);
    assert_eq!(grace["email"], "grace@example.com");
    // In the user info as well. The token would do without it.
    let mut info = unneeded();
    info["sub"] = json!("sub-hans");
    info["email"] = json!("hans@example.com");
    for info in [info, json!(403), json!(500), json!("no object"), json!([1])] {
        let thin = json!({"sub": "sub-hans", "info": info});
        let answer = world
            .provider
            .signs_in(&world.api.anonymous(), thin)
            .await;
        assert_eq!(world.user_of(&answer).await["email"], "hans@example.com");
    }
    // A user info of another subject is none of this user.
    let other = json!({"sub": "sub-eve", "info": {"sub": "another", "email": "ada@example.com"}});
    let answer = world
        .provider
        .signs_in(&world.api.anonymous(), other)
        .await;
    failed(&answer, "provider_unavailable");
}

#[tokio::test]
async fn a_discovery_document_needs_what_a_sign_in_needs() {
    let world = World::start(json!({})).await;
    let ada = world.api.sign_in("ada").await;
    let path = "/api/organizations/1/sign-in";
    let put = world
        .provider
        .put(&json!({"defaultRole": "member"}));
    world.provider.describes(json!({
        "registration_endpoint": "", "subject_types_supported": null, "response_types_supported": "code",
        "id_token_signing_alg_values_supported": null, "scopes_supported": "openid", "claims_supported": {},
        "end_session_endpoint": 1, "userinfo_endpoint": "", "token_endpoint_auth_methods_supported": null,
        "authorization_response_iss_parameter_supported": "maybe",
    }));
    ada.puts(path, put).await;
    world.user("grace", json!({})).await;
    // Scopes that the provider lists are asked for; some refuse others.
    for (listed, scope) in [
        (
            json!(["openid", "groups"]),
            "scope=openid+email+profile+groups",
        ),
        (json!(["openid"]), "scope=openid+email+profile&"),
    ] {
        world
            .provider
            .describes(json!({"scopes_supported": listed}));
        ada.triggers("/api/organizations/1/sign-in/test")
            .await;
        let begun = world
            .api
            .anonymous()
            .get(super::BEGIN)
            .await;
        let location = begun.header("location").unwrap();
        assert!(location.contains(scope), "{location}");
    }
}
