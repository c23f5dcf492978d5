//! `GET /api/auth/oidc`: the way to the provider

use serde_json::json;
use tests::support::{Api, puts, shows};

use super::{World, failed, person};

#[tokio::test]
async fn a_sign_in_leads_to_the_provider_and_back() {
    let world = World::start(json!({"defaultRole": "member"})).await;
    let nobody = world.api.anonymous();
    let begun = nobody
        .get("/api/auth/oidc?organization=1")
        .await;
    begun.expect(302);
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
    let (state, attributes) = begun.cookie().split_once("; ").unwrap();
    let path = "Path=/api/auth/oidc; Max-Age=600; HttpOnly; SameSite=Lax; Secure";
    assert_eq!(attributes, path);
    let grace = person("grace", &json!({}));
    let back = world
        .provider
        .sends_back(location, &grace);
    let answer = nobody
        .with_cookie(state)
        .get(&back)
        .await;
    answer.expect(302);
    // Without a page, the desk follows.
    assert_eq!(answer.header("location"), Some("/"));
    world
        .session_of(&answer)
        .is_signed_in()
        .await;
}

#[tokio::test]
async fn the_page_that_follows_is_of_this_host_or_an_allowed_origin() {
    let world = World::start(json!({"defaultRole": "member"})).await;
    let nobody = world.api.anonymous();
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
        let refused = nobody.get(&begin(foreign)).await;
        let problem = refused.expect_problem(400, "validation_error");
        assert_eq!(problem["errors"][0]["pointer"], "?return", "{foreign}");
    }
    for (page, follows, fragment) in [
        ("/%23/tasks/17", "/", "#/tasks/17"),
        (
            "https://app.workdesk.example/x?y=1%23z",
            "https://app.workdesk.example/x?y=1",
            "#z",
        ),
    ] {
        // A fault takes the place of the fragment.
        for (more, fragment) in [
            (json!({}), fragment),
            (json!({"aud": "another"}), "#sign-in=token_invalid"),
        ] {
            let path = begin(page);
            let grace = person("grace", &more);
            let answer = world
                .provider
                .signs_in_by(&nobody, &path, grace)
                .await;
            answer.expect(302);
            let location = format!("{follows}{fragment}");
            assert_eq!(answer.header("location"), Some(&*location));
        }
    }
}

#[tokio::test]
async fn an_organization_without_a_provider_is_not_found() {
    let nobody = Api::start().await.anonymous();
    for id in [1, 2, 999] {
        let path = format!("/api/auth/oidc?organization={id}");
        nobody
            .get(&path)
            .await
            .expect_not_found();
    }
}

#[tokio::test]
async fn a_sign_in_again_asks_the_provider_and_replaces_the_session() {
    let world = World::start(json!({"defaultRole": "member"})).await;
    let again = "/api/auth/oidc?organization=1&return=/%23/tasks&again=true";
    let first = world.session_of(&world.signs_in("grace", json!({})).await);
    let begun = first.get(again).await;
    assert!(
        begun
            .header("location")
            .unwrap()
            .contains("max_age=0")
    );
    let now = world.api.clock.now().epoch_seconds();
    let signs_in = async |more| {
        let grace = person("grace", &more);
        world
            .provider
            .signs_in_by(&first, again, grace)
            .await
    };
    // The provider must have asked within the last minute.
    for old in [json!({}), json!({"auth_time": now - 61})] {
        failed(&signs_in(old).await, "sign_in_again");
    }
    first.is_signed_in().await;
    let answer = signs_in(json!({"auth_time": now - 30})).await;
    assert_eq!(world.user_of(&answer).await["username"], "grace");
    first.is_signed_out().await;
    let [session] = &world
        .session_of(&answer)
        .walk("/api/auth/sessions")
        .await[..]
    else {
        panic!("one session");
    };
    // As the provider says.
    shows!(session, {"method": "oidc", "signedInAt": "2026-01-15T11:59:30.000Z"});
}

/// The provider says when the user showed credentials, which may be long before the sign-in.
#[tokio::test]
async fn a_session_is_as_old_as_its_credentials() {
    let world = World::start(json!({"defaultRole": "member"})).await;
    let now = world.api.clock.now().epoch_seconds();
    for (auth_time, signed_in_at) in [
        (json!(null), "2026-01-15T12:00:00.000Z"),
        (json!(now - 7_200), "2026-01-15T10:00:00.000Z"),
        (json!((now - 7_200).to_string()), "2026-01-15T10:00:00.000Z"),
        (json!("an hour ago"), "2026-01-15T12:00:00.000Z"),
        // The provider's clock is ahead.
        (json!(now + 60), "2026-01-15T12:00:00.000Z"),
    ] {
        let answer = world
            .signs_in("grace", json!({"auth_time": auth_time}))
            .await;
        let sessions = world
            .session_of(&answer)
            .walk("/api/auth/sessions")
            .await;
        let current = sessions
            .iter()
            .find(|session| session["current"] == true)
            .unwrap();
        assert_eq!(current["signedInAt"], signed_in_at, "{auth_time}");
    }
}

/// Else an open browser would be a new sign-in, without credentials.
#[tokio::test]
async fn the_policys_age_of_a_sign_in_is_asked_of_the_provider() {
    let world = World::start(json!({"defaultRole": "admin"})).await;
    let ada = world.api.sign_in("ada").await;
    puts!(ada, "/api/concierge/policy", {"signedInWithin": 5});
    let begun = world
        .api
        .anonymous()
        .get(super::BEGIN)
        .await;
    let location = begun.header("location").unwrap();
    assert!(location.contains("max_age=300"), "{location}");
    let signed_in_at = async |more| {
        let answer = world.signs_in("grace", more).await;
        let sessions = world
            .session_of(&answer)
            .walk("/api/auth/sessions")
            .await;
        let mut current = sessions
            .into_iter()
            .filter(|session| session["current"] == true);
        current.next().unwrap()["signedInAt"].clone()
    };
    let now = world.api.clock.now().epoch_seconds();
    let stated = signed_in_at(json!({"auth_time": now - 30})).await;
    assert_eq!(stated, "2026-01-15T11:59:30.000Z");
    // A provider that does not say when asked for it may have asked for credentials just before.
    let unstated = signed_in_at(json!({})).await;
    assert_eq!(unstated, "2026-01-15T11:54:59.000Z");
}
