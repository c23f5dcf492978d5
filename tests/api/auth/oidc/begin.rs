//! `GET /api/auth/oidc`: the way to the provider

use serde_json::json;

use super::{failed, person, session_of, user_of};
use tests::support::{Api, budgets::within, shows};

#[tokio::test]
async fn a_sign_in_leads_to_the_provider_and_back() {
    let api = Api::start().await;
    let provider = api.has_provider(json!({"defaultRole": "member"})).await;
    let begun = api.anonymous().get("/api/auth/oidc?organization=1").await;
    within(&api, "GET /api/auth/oidc", 302, &begun);
    let location = begun.header("location").unwrap();
    for part in [
        "response_type=code",
        "code_challenge_method=S256",
        "nonce=",
        "scope=openid+email+profile",
    ] {
        assert!(location.contains(part), "{location}");
    }
    assert!(!location.contains("max_age"), "{location}");
    let (_, attributes) = begun.cookie().split_once("; ").unwrap();
    assert_eq!(
        attributes,
        "Path=/api/auth/oidc; Max-Age=600; HttpOnly; SameSite=Lax; Secure"
    );
    let back = provider.sends_back(location, &person("grace", &json!({})));
    let browser = api
        .anonymous()
        .with_cookie(begun.cookie().split(';').next().unwrap());
    let answer = browser.get(&back).await;
    within(&api, "GET /api/auth/oidc/callback", 302, &answer);
    // Without a page, the desk follows.
    assert_eq!(answer.header("location"), Some("/"));
    session_of(&api, &answer)
        .get("/api/auth/session")
        .await
        .expect(200);
}

#[tokio::test]
async fn the_page_that_follows_is_of_this_host_or_an_allowed_origin() {
    let api = Api::start().await;
    let provider = api.has_provider(json!({"defaultRole": "member"})).await;
    let begin = |page: &str| format!("/api/auth/oidc?organization=1&return={page}");
    for foreign in [
        "//evil.example/",
        "/%5Cevil.example",
        "%5C%5Cevil.example",
        "https://evil.example/",
        "https://app.workdesk.example.evil.example/",
        "https://app.workdesk.example@evil.example/",
        "http://app.workdesk.example/",
        "javascript:alert(1)",
        "tasks",
        "/%0d%0aset-cookie:x",
        "",
    ] {
        let refused = api.anonymous().get(&begin(foreign)).await;
        let problem = refused.expect_problem(400, "validation_error");
        assert_eq!(problem["errors"][0]["pointer"], "?return", "{foreign}");
    }
    for (page, follows) in [
        ("/%23/tasks/17", "/#/tasks/17"),
        (
            "https://app.workdesk.example/x?y=1%23z",
            "https://app.workdesk.example/x?y=1#z",
        ),
    ] {
        let path = begin(page);
        let caller = api.anonymous();
        let answer = provider
            .signs_in_by(&caller, &path, person("grace", &json!({})))
            .await;
        answer.expect(302);
        assert_eq!(answer.header("location"), Some(follows));
        // A fault takes the place of the fragment.
        let bad = person("grace", &json!({"aud": "another"}));
        let answer = provider.signs_in_by(&caller, &path, bad).await;
        let (page, _) = follows.split_once('#').unwrap();
        assert_eq!(
            answer.header("location"),
            Some(&*format!("{page}#sign-in=token_invalid"))
        );
    }
}

#[tokio::test]
async fn an_organization_without_a_provider_is_not_found() {
    let api = Api::start().await;
    for id in [1, 2, 999] {
        let path = format!("/api/auth/oidc?organization={id}");
        api.anonymous()
            .get(&path)
            .await
            .expect_problem(404, "not_found");
    }
    api.anonymous()
        .get("/api/auth/oidc")
        .await
        .expect_faults(&[("?organization", "required")]);
}

#[tokio::test]
async fn a_provider_that_does_not_answer_as_it_should_is_unavailable() {
    let api = Api::start().await;
    let provider = api.has_provider(json!({"defaultRole": "member"})).await;
    let begin = async || api.anonymous().get("/api/auth/oidc?organization=1").await;
    provider.is_down(true);
    failed(&begin().await, "provider_unavailable");
    provider.is_down(false);
    // Of another issuer, or without what a sign-in needs.
    for discovery in [
        json!({"issuer": "https://another.example.com"}),
        json!({"jwks_uri": "nowhere"}),
        json!({"token_endpoint": null}),
    ] {
        provider.describes(discovery);
        failed(&begin().await, "provider_unavailable");
    }
    provider.describes(json!({}));
    begin().await.expect(302);
    // What it said is kept, so that a short outage keeps nobody out before the provider does.
    provider.is_down(true);
    let location = begin().await.header("location").unwrap().to_owned();
    assert!(location.starts_with(&provider.issuer), "{location}");
}

#[tokio::test]
async fn a_sign_in_again_asks_the_provider_and_replaces_the_session() {
    let api = Api::start().await;
    let provider = api.has_provider(json!({"defaultRole": "member"})).await;
    let again = "/api/auth/oidc?organization=1&return=/%23/tasks&again=true";
    let first = provider
        .signs_in(&api.anonymous(), person("grace", &json!({})))
        .await;
    let first = session_of(&api, &first);
    let begun = first.get(again).await;
    assert!(begun.header("location").unwrap().contains("max_age=0"));
    let now = api.clock.now().epoch_seconds();
    // The provider must have asked within the last minute.
    for old in [json!({}), json!({"auth_time": now - 61})] {
        let answer = provider
            .signs_in_by(&first, again, person("grace", &old))
            .await;
        failed(&answer, "sign_in_again");
    }
    first.get("/api/auth/session").await.expect(200);
    let new = person("grace", &json!({"auth_time": now - 30}));
    let answer = provider.signs_in_by(&first, again, new).await;
    assert_eq!(user_of(&api, &answer).await["username"], "grace");
    first.get("/api/auth/session").await.expect(401);
    let sessions = session_of(&api, &answer)
        .get("/api/auth/sessions")
        .await
        .expect(200);
    assert_eq!(sessions.as_array().unwrap().len(), 1);
    shows!(sessions[0], {"method": "oidc", "signedInAt": sessions[0]["createdAt"]});
}
