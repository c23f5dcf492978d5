//! `GET /api/auth/oidc/callback`: the users whom it finds, binds and makes

use serde_json::{Value, json};
use shared::model::User;

use super::{failed, person, session_of, user_of, users_of};
use tests::support::{Api, PASSWORD, shows};

#[tokio::test]
async fn the_first_sign_in_binds_the_user_of_a_verified_address() {
    let api = Api::start().await;
    let provider = api.has_provider(json!({})).await;
    let mia = api.user("mia").await;
    api.has_address("mia", "mia@example.com").await;
    // In whatever case.
    let first = person("mia", &json!({"email": "MIA@example.com"}));
    let bound = user_of(&api, &provider.signs_in(&api.anonymous(), first).await).await;
    assert_eq!(bound["id"], json!(mia.id));
    shows!(bound, {"role": "member", "fullName": "Mia Tester"});
    // From then on the subject leads to the user, whatever the address.
    let later = person(
        "mia",
        &json!({"email": "new@example.com", "email_verified": false}),
    );
    let found = user_of(&api, &provider.signs_in(&api.anonymous(), later).await).await;
    assert_eq!(found["id"], json!(mia.id));
    // The password holds until it is off.
    let login = json!({"username": "mia", "password": PASSWORD});
    api.anonymous()
        .post("/api/auth/login", login)
        .await
        .expect(200);
    let entries = api.sign_in("ada").await.walk("/api/journal").await;
    let bound: Vec<&Value> = entries
        .iter()
        .filter(|entry| {
            entry["event"] == "sign_in_changed"
                && entry["subjects"][0] == format!("user:{}", mia.id)
        })
        .collect();
    assert_eq!(bound.len(), 1);
    shows!(bound[0], {"after": {"issuer": provider.issuer, "sub": "sub-mia"}});
}

#[tokio::test]
async fn an_address_that_is_not_verified_on_both_sides_binds_and_makes_nobody() {
    let api = Api::start().await;
    let provider = api.has_provider(json!({"defaultRole": "member"})).await;
    let users = async || users_of(&api).await.len();
    for name in ["mia", "sue"] {
        api.user(name).await;
    }
    let before = users().await;
    api.has_address("mia", "mia@example.com").await;
    for claims in [
        json!({"email_verified": false}),
        json!({"email_verified": null}),
    ] {
        let answer = provider
            .signs_in(&api.anonymous(), person("mia", &claims))
            .await;
        failed(&answer, "sign_in_not_allowed");
    }
    // An admin typed it.
    let sue = api.user("sue").await;
    let (ada, path) = (api.sign_in("ada").await, format!("/api/users/{}", sue.id));
    ada.patch(&path, json!({"email": "sue@example.com"}))
        .await
        .expect(200);
    let answer = provider
        .signs_in(&api.anonymous(), person("sue", &json!({})))
        .await;
    failed(&answer, "sign_in_not_allowed");
    assert_eq!(users().await, before);
}

#[tokio::test]
async fn a_user_with_another_subject_is_not_bound_again() {
    let api = Api::start().await;
    let provider = api.has_provider(json!({"defaultRole": "member"})).await;
    api.has_address("mia", "mia@example.com").await;
    let sign_in = async |sub: &str| {
        let claims = person("mia", &json!({ "sub": sub }));
        provider.signs_in(&api.anonymous(), claims).await
    };
    let mia = user_of(&api, &sign_in("first").await).await;
    failed(&sign_in("second").await, "sign_in_not_allowed");
    assert_eq!(
        user_of(&api, &sign_in("first").await).await["id"],
        mia["id"]
    );
    // Another provider names its users anew.
    let other = api.has_provider(json!({})).await;
    let claims = person("mia", &json!({"sub": "second"}));
    let moved = user_of(&api, &other.signs_in(&api.anonymous(), claims).await).await;
    assert_eq!(moved["id"], mia["id"]);
}

#[tokio::test]
async fn a_sign_in_makes_a_user_of_a_group_or_of_the_default_role() {
    let api = Api::start().await;
    let roles = json!({"roles": {"Staff": "support"}, "defaultRole": "viewer"});
    let provider = api.has_provider(roles).await;
    let sign_in = async |name: &str, more: Value| {
        let answer = provider
            .signs_in(&api.anonymous(), person(name, &more))
            .await;
        user_of(&api, &answer).await
    };
    let grace = sign_in("grace", json!({"groups": ["Other", "Staff"]})).await;
    shows!(grace, {"username": "grace", "role": "support"});
    shows!(grace, {"fullName": "grace of the provider", "email": "grace@example.com"});
    assert_eq!(grace["emailVerifiedAt"], "2026-01-15T12:00:00.000Z");
    let hans = sign_in(
        "hans",
        json!({"groups": ["Other"], "email_verified": false}),
    )
    .await;
    shows!(hans, {"role": "viewer", "emailVerifiedAt": null});
    // No password fits.
    let login = json!({"username": "grace", "password": PASSWORD});
    api.anonymous()
        .post("/api/auth/login", login)
        .await
        .expect_problem(401, "invalid_credentials");
    // Usernames are unique in the service: zoe is of the other organization.
    api.user("zoe").await;
    let zoe = sign_in("zoe", json!({})).await;
    assert_eq!(zoe["username"], "zoe@example.com");
    let nameless = json!({"sub": "n", "email": null, "email_verified": null, "name": null, "preferred_username": null});
    let nameless = sign_in("n", nameless).await;
    assert!(
        nameless["username"].as_str().unwrap().starts_with("user-"),
        "{nameless}"
    );
}

#[tokio::test]
async fn without_a_group_and_a_default_role_nobody_is_made() {
    let api = Api::start().await;
    let provider = api
        .has_provider(json!({"roles": {"Staff": "member"}}))
        .await;
    for groups in [
        json!([]),
        json!(["Other"]),
        json!(null),
        json!({"Staff": true}),
        json!([7]),
    ] {
        let claims = person("grace", &json!({ "groups": groups }));
        let answer = provider.signs_in(&api.anonymous(), claims).await;
        failed(&answer, "sign_in_not_allowed");
    }
    let one = person("grace", &json!({"groups": "Staff"}));
    user_of(&api, &provider.signs_in(&api.anonymous(), one).await).await;
}

#[tokio::test]
async fn a_thin_token_is_completed_by_the_user_info() {
    let api = Api::start().await;
    let provider = api
        .has_provider(json!({"roles": {"Staff": "manager"}, "groupsClaim": "https://x.example/g"}))
        .await;
    let thin = |info: Value| json!({"sub": "sub-grace", "info": info});
    let info = json!({
        "sub": "sub-grace", "email": "grace@example.com", "email_verified": true,
        "preferred_username": "grace", "https://x.example/g": ["Staff"],
    });
    let grace = user_of(&api, &provider.signs_in(&api.anonymous(), thin(info)).await).await;
    shows!(grace, {"username": "grace", "role": "manager"});
    // Of another subject, it is none.
    let other = json!({"sub": "another", "email": "ada@example.com", "email_verified": true});
    let answer = provider.signs_in(&api.anonymous(), thin(other)).await;
    failed(&answer, "provider_unavailable");
}

#[tokio::test]
async fn a_disabled_user_stays_out() {
    let api = Api::start().await;
    let provider = api.has_provider(json!({"defaultRole": "member"})).await;
    let claims = || person("grace", &json!({}));
    let answer = provider.signs_in(&api.anonymous(), claims()).await;
    let (grace, session) = (user_of(&api, &answer).await, session_of(&api, &answer));
    let (ada, path) = (
        api.sign_in("ada").await,
        format!("/api/users/{}", grace["id"]),
    );
    ada.patch(&path, json!({"disabled": true}))
        .await
        .expect(200);
    session.get("/api/auth/session").await.expect(401);
    let answer = provider.signs_in(&api.anonymous(), claims()).await;
    failed(&answer, "sign_in_not_allowed");
    // Neither by the address.
    api.has_address("mia", "mia@example.com").await;
    let mia: User = api.user("mia").await;
    ada.patch(&format!("/api/users/{}", mia.id), json!({"disabled": true}))
        .await
        .expect(200);
    let answer = provider
        .signs_in(&api.anonymous(), person("mia", &json!({})))
        .await;
    failed(&answer, "sign_in_not_allowed");
}

#[tokio::test]
async fn a_subject_of_another_organizations_provider_is_nobody_here() {
    let api = Api::start().await;
    let provider = api.has_provider(json!({"defaultRole": "member"})).await;
    let zoe = api.sign_in("zoe").await;
    let put = provider.put(&json!({"defaultRole": "viewer"}));
    zoe.put("/api/organizations/2/sign-in", put)
        .await
        .expect(200);
    api.has_address("mia", "mia@example.com").await;
    let abroad = "/api/auth/oidc?organization=2&return=/%23/tasks";
    let claims = || person("mia", &json!({}));
    let here = user_of(&api, &provider.signs_in(&api.anonymous(), claims()).await).await;
    let there = provider
        .signs_in_by(&api.anonymous(), abroad, claims())
        .await;
    let there = user_of(&api, &there).await;
    assert_eq!(
        (&here["organizationId"], &there["organizationId"]),
        (&json!(1), &json!(2))
    );
    assert_ne!(here["id"], there["id"]);
}
