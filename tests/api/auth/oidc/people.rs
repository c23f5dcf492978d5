//! `GET /api/auth/oidc/callback`: the users whom it finds, binds and makes

use serde_json::{Value, json};
use tests::support::{PASSWORD, refused, shows};

use super::{World, person};

/// Whoever sets the issuer chooses the addresses of its tokens, too.
#[tokio::test]
async fn an_address_of_a_user_binds_and_makes_nobody() {
    let world = World::start(json!({"defaultRole": "member"})).await;
    let api = &world.api;
    api.has_address("mia", "mia@example.com")
        .await;
    let sue = json!(api.user("sue").await.id);
    // An admin typed it.
    let typed = json!({"email": "sue@example.com"});
    world.changes(&sue, typed).await;
    let before = world.names().await;
    for name in ["mia", "sue"] {
        for more in [json!({}), json!({"email_verified": false})] {
            world
                .refuses(name, more, "sign_in_not_allowed")
                .await;
        }
    }
    let in_capitals = json!({"email": "MIA@example.com"});
    world
        .refuses("mia", in_capitals, "sign_in_not_allowed")
        .await;
    assert_eq!(world.names().await, before);
    let mia = api.account("mia").await;
    assert_eq!(mia.provider_subject, None);
}

#[tokio::test]
async fn a_sign_in_makes_a_user_of_a_group_or_of_the_default_role() {
    let world = World::start(json!({"roles": {"Staff": "support"}, "defaultRole": "viewer"})).await;
    let staff = json!({"groups": ["Other", "Staff"]});
    let grace = world.user("grace", staff).await;
    shows!(grace, {"username": "grace", "role": "support"});
    shows!(grace, {"fullName": "grace of the provider", "email": "grace@example.com"});
    assert_eq!(grace["emailVerifiedAt"], "2026-01-15T12:00:00.000Z");
    let other = json!({"groups": ["Other"], "email_verified": false});
    shows!(world.user("hans", other).await, {"role": "viewer", "emailVerifiedAt": null});
    // No password fits.
    refused!(world.api.anonymous().logs_in("grace", PASSWORD).await => 401, "invalid_credentials");
    // Usernames are unique in the service: zoe is of the other organization.
    world.api.user("zoe").await;
    let zoe = world.user("zoe", json!({})).await;
    assert_eq!(zoe["username"], "zoe@example.com");
    let claims = json!({"sub": "n", "email": null, "email_verified": null, "name": null, "preferred_username": null});
    let nameless = world.user("n", claims).await["username"].to_string();
    assert!(nameless.starts_with("\"user-"), "{nameless}");
}

#[tokio::test]
async fn without_a_group_and_a_default_role_nobody_is_made() {
    let world = World::start(json!({"roles": {"Staff": "member"}})).await;
    for groups in [
        json!([]),
        json!(["Other"]),
        json!(null),
        json!({"Staff": true}),
        json!([7]),
    ] {
        let claims = json!({ "groups": groups });
        world
            .refuses("grace", claims, "sign_in_not_allowed")
            .await;
    }
    world
        .user("grace", json!({"groups": "Staff"}))
        .await;
}

#[tokio::test]
async fn a_thin_token_is_completed_by_the_user_info() {
    let roles = json!({"roles": {"Staff": "manager"}, "groupsClaim": "https://x.example/g"});
    let world = World::start(roles).await;
    let thin = async |info: Value| {
        let claims = json!({"sub": "sub-grace", "info": info});
        let nobody = world.api.anonymous();
        world
            .provider
            .signs_in(&nobody, claims)
            .await
    };
    let info = json!({
        "sub": "sub-grace", "email": "grace@example.com", "email_verified": true,
        "preferred_username": "grace", "https://x.example/g": ["Staff"],
    });
    let grace = world.user_of(&thin(info).await).await;
    shows!(grace, {"username": "grace", "role": "manager"});
    // Of another subject, it is none.
    let other = json!({"sub": "another", "email": "ada@example.com", "email_verified": true});
    super::failed(&thin(other).await, "provider_unavailable");
}

#[tokio::test]
async fn a_disabled_user_stays_out() {
    let world = World::start(json!({"defaultRole": "member"})).await;
    let answer = world.signs_in("grace", json!({})).await;
    let grace = world.user_of(&answer).await;
    let disabled = json!({"disabled": true});
    world
        .changes(&grace["id"], disabled.clone())
        .await;
    world
        .session_of(&answer)
        .is_signed_out()
        .await;
    world.connects("mia", json!({})).await;
    let mia = json!(world.api.user("mia").await.id);
    world.changes(&mia, disabled).await;
    for name in ["grace", "mia"] {
        world
            .refuses(name, json!({}), "sign_in_not_allowed")
            .await;
    }
}

#[tokio::test]
async fn a_subject_of_another_organizations_provider_is_nobody_here() {
    let world = World::start(json!({"defaultRole": "member"})).await;
    let api = &world.api;
    let provider = &world.provider;
    let zoe = api.sign_in("zoe").await;
    let put = provider.put(&json!({"defaultRole": "viewer"}));
    zoe.puts("/api/organizations/2/sign-in", put)
        .await;
    world.connects("mia", json!({})).await;
    let home_user = world.user("mia", json!({})).await;
    let abroad = "/api/auth/oidc?organization=2&return=/%23/tasks";
    let mia = person("mia", &json!({}));
    let answer = provider
        .signs_in_by(&api.anonymous(), abroad, mia)
        .await;
    let other_user = world.user_of(&answer).await;
    assert_ne!(home_user["id"], other_user["id"]);
    for (user, organization) in [(home_user, 1), (other_user, 2)] {
        assert_eq!(user["organizationId"], organization);
    }
}
