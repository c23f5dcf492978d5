//! `GET /api/auth/oidc/callback`: roles by groups

use serde_json::{Value, json};

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
    let roles = changed.iter().map(|entry| &entry["after"]["role"]);
    assert_eq!(roles.collect::<Vec<_>>(), ["manager", "viewer"]);
}

#[tokio::test]
async fn the_default_role_is_for_the_first_sign_in_alone() {
    let world = world().await;
    let grace = world.user("grace", json!({})).await;
    assert_eq!(grace["role"], "support");
    world.changes(&grace["id"], json!({"role": "member"})).await;
    assert_eq!(world.user("grace", json!({})).await["role"], "member");
}

#[tokio::test]
async fn a_user_made_by_a_group_who_lost_all_groups_is_out() {
    let world = world().await;
    let session = world.session_of(&world.signs_in("grace", of(&["Staff"])).await);
    let token = json!({"name": "export"});
    let token = session.posts("/api/tokens", token).await;
    let lost = of(&["Other"]);
    world.refuses("grace", lost, "sign_in_not_allowed").await;
    session.is_signed_out().await;
    let token = token["token"].as_str().unwrap();
    let script = world.api.anonymous().with_token(token);
    script.is_signed_out().await;
    assert!(!world.entries("sessions_ended").await.is_empty());
    // The group comes back, and so does the user.
    world.user("grace", of(&["Readers"])).await;
    // A user who was bound by the address stays without a group.
    world.api.has_address("mia", "mia@example.com").await;
    for groups in [&["Leads"][..], &[]] {
        assert_eq!(world.user("mia", of(groups)).await["role"], "manager");
    }
}

#[tokio::test]
async fn the_last_admin_keeps_the_role_and_the_journal_says_so() {
    let world = world().await;
    world.api.has_address("ada", "ada@example.com").await;
    assert_eq!(world.user("ada", of(&["Readers"])).await["role"], "admin");
    let entries = world.api.sign_in("ada").await.walk("/api/journal").await;
    let kept = json!({"role": "admin", "reason": "the last admin keeps the role"});
    let holds = entries.iter().any(|entry| entry["after"] == kept);
    assert!(holds, "{entries:?}");
    // With another admin, the groups count.
    world.user("grace", of(&["Owners"])).await;
    assert_eq!(world.user("ada", of(&["Readers"])).await["role"], "viewer");
}
