//! `GET /api/auth/oidc/callback`: roles by groups

use serde_json::{Value, json};
use tests::support::posts;

use super::World;

async fn world() -> World {
    let roles =
        json!({"Readers": "viewer", "Staff": "member", "Leads": "manager", "Owners": "admin"});
    World::start(json!({"roles": roles, "defaultRole": "support"})).await
}

fn of(groups: &[&str]) -> Value {
    json!({ "groups": groups })
}

#[tokio::test]
async fn each_sign_in_sets_the_highest_role_of_the_groups() {
    let world = world().await;
    for (groups, role) in [
        (&["Readers", "Staff"][..], "member"),
        (&["Leads", "Readers"], "manager"),
        (&["Readers"], "viewer"),
    ] {
        assert_eq!(world.user("grace", of(groups)).await["role"], role);
    }
    let changed = world.entries("user_changed").await;
    let roles = changed
        .iter()
        .map(|entry| &entry["after"]["role"]);
    assert_eq!(roles.collect::<Vec<_>>(), ["manager", "viewer"]);
}

#[tokio::test]
async fn the_default_role_is_for_the_first_sign_in_alone() {
    let world = world().await;
    let grace = world.user("grace", json!({})).await;
    assert_eq!(grace["role"], "support");
    world
        .changes(&grace["id"], json!({"role": "member"}))
        .await;
    assert_eq!(world.user("grace", json!({})).await["role"], "member");
}

#[tokio::test]
async fn a_user_made_by_a_group_who_lost_all_groups_is_out() {
    let world = world().await;
    let session = world.session_of(
        &world
            .signs_in("grace", of(&["Staff"]))
            .await,
    );
    let token = posts!(session, "/api/tokens", {"name": "export"});
    let lost = of(&["Other"]);
    world
        .refuses("grace", lost, "sign_in_not_allowed")
        .await;
    session.is_signed_out().await;
    let token = token["token"].as_str().unwrap();
    let script = world.api.anonymous().with_token(token);
    script.is_signed_out().await;
    assert!(
        !world
            .entries("sessions_ended")
            .await
            .is_empty()
    );
    // The group comes back, and so does the user.
    world
        .user("grace", of(&["Readers"]))
        .await;
    // A user who connected the account stays without a group.
    world
        .connects("mia", of(&["Leads"]))
        .await;
    for groups in [&["Leads"][..], &[]] {
        assert_eq!(world.user("mia", of(groups)).await["role"], "manager");
    }
}

#[tokio::test]
async fn the_last_admin_keeps_the_role_and_the_journal_says_so() {
    let world = world().await;
    world
        .connects("ada", of(&["Readers"]))
        .await;
    assert_eq!(
        world
            .user("ada", of(&["Readers"]))
            .await["role"],
        "admin"
    );
    let entries = world
        .api
        .sign_in("ada")
        .await
        .walk("/api/journal")
        .await;
    let kept = json!({"role": "admin", "reason": "the last admin keeps the role"});
    let holds = entries
        .iter()
        .any(|entry| entry["after"] == kept);
    assert!(holds, "{entries:?}");
    // With another admin, the groups count.
    world
        .user("grace", of(&["Owners"]))
        .await;
    assert_eq!(
        world
            .user("ada", of(&["Readers"]))
            .await["role"],
        "viewer"
    );
}

/// Entra ID leaves out the groups of a user with more than 200.
#[tokio::test]
async fn groups_that_are_pointed_to_are_not_none() {
    let world = world().await;
    let session = world.session_of(
        &world
            .signs_in("grace", of(&["Staff"]))
            .await,
    );
    for pointer in [
        json!({"_claim_names": {"groups": "src1"}, "_claim_sources": {"src1": {"endpoint": "x"}}}),
        json!({"hasgroups": true}),
        json!({"hasgroups": "true"}),
        // The user info may have them, and gives no answer.
        json!({"info": 503}),
        json!({"info": 403}),
    ] {
        world
            .refuses("grace", pointer, "groups_missing")
            .await;
    }
    session.is_signed_in().await;
    assert!(
        world
            .entries("sessions_ended")
            .await
            .is_empty()
    );
    // Pointers to something else, and groups that are there as well, are no reason.
    for more in [
        json!({"_claim_names": {"address": "src1"}, "groups": ["Readers"]}),
        json!({"hasgroups": true, "groups": ["Readers"]}),
        json!({"hasgroups": true, "info": {"sub": "sub-grace", "groups": ["Readers"]}}),
    ] {
        assert_eq!(world.user("grace", more).await["role"], "viewer");
    }
    // Without roles, nobody asks for groups.
    let put = world
        .provider
        .put(&json!({"defaultRole": "member"}));
    let ada = world.api.sign_in("ada").await;
    ada.puts("/api/organizations/1/sign-in", put)
        .await;
    world
        .user("grace", json!({"hasgroups": true}))
        .await;
}

#[tokio::test]
async fn groups_are_found_by_their_path_and_in_the_forms_of_providers() {
    for (claim, claims) in [
        (
            "realm_access.roles",
            json!({"realm_access": {"roles": ["offline_access", "Staff"]}}),
        ),
        ("a.b", json!({"a.b": ["Staff"], "a": {"b": ["Owners"]}})),
        (
            "https://x.example/groups",
            json!({"https://x.example/groups": "Staff"}),
        ),
        (
            "urn:zitadel:iam:org:project:roles",
            json!({"urn:zitadel:iam:org:project:roles": {"Staff": {"2718": "halden.zitadel.cloud"}}}),
        ),
    ] {
        let settings =
            json!({"roles": {"Staff": "manager", "Owners": "admin"}, "groupsClaim": claim});
        let world = World::start(settings).await;
        assert_eq!(
            world.user("grace", claims).await["role"],
            "manager",
            "{claim}"
        );
    }
}
