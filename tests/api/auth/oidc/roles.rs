//! `GET /api/auth/oidc/callback`: roles by groups

use serde_json::{Value, json};

use super::{failed, person, session_of, user_of};
use tests::support::Api;

const ROLES: &str =
    r#"{"Readers": "viewer", "Staff": "member", "Leads": "manager", "Owners": "admin"}"#;

fn roles() -> Value {
    json!({"roles": serde_json::from_str::<Value>(ROLES).unwrap(), "defaultRole": "support"})
}

#[tokio::test]
async fn each_sign_in_sets_the_highest_role_of_the_groups() {
    let api = Api::start().await;
    let provider = api.has_provider(roles()).await;
    for (groups, role) in [
        (json!(["Readers", "Staff"]), "member"),
        (json!(["Leads", "Readers"]), "manager"),
        (json!(["Readers"]), "viewer"),
    ] {
        let claims = person("grace", &json!({ "groups": groups }));
        let answer = provider.signs_in(&api.anonymous(), claims).await;
        let grace = user_of(&api, &answer).await;
        assert_eq!(grace["role"], role);
    }
    let entries = api.sign_in("ada").await.walk("/api/journal").await;
    let changed = entries
        .iter()
        .filter(|entry| entry["event"] == "user_changed");
    let changed: Vec<_> = changed
        .map(|entry| entry["after"]["role"].clone())
        .collect();
    assert_eq!(changed, ["manager", "viewer"]);
}

#[tokio::test]
async fn the_default_role_is_for_the_first_sign_in_alone() {
    let api = Api::start().await;
    let provider = api.has_provider(roles()).await;
    let sign_in = async || {
        provider
            .signs_in(&api.anonymous(), person("grace", &json!({})))
            .await
    };
    let grace = user_of(&api, &sign_in().await).await;
    assert_eq!(grace["role"], "support");
    let (ada, path) = (
        api.sign_in("ada").await,
        format!("/api/users/{}", grace["id"]),
    );
    ada.patch(&path, json!({"role": "member"}))
        .await
        .expect(200);
    assert_eq!(user_of(&api, &sign_in().await).await["role"], "member");
}

#[tokio::test]
async fn a_user_made_by_a_group_who_lost_all_groups_is_out() {
    let api = Api::start().await;
    let provider = api.has_provider(roles()).await;
    let sign_in = async |groups: Value| {
        let claims = person("grace", &json!({ "groups": groups }));
        provider.signs_in(&api.anonymous(), claims).await
    };
    let session = session_of(&api, &sign_in(json!(["Staff"])).await);
    let token = session
        .post("/api/tokens", json!({"name": "export"}))
        .await
        .expect(200);
    failed(&sign_in(json!(["Other"])).await, "sign_in_not_allowed");
    session.get("/api/auth/session").await.expect(401);
    let token = api.anonymous().with_token(token["token"].as_str().unwrap());
    token.get("/api/auth/session").await.expect(401);
    let entries = api.sign_in("ada").await.walk("/api/journal").await;
    assert!(
        entries
            .iter()
            .any(|entry| entry["event"] == "sessions_ended")
    );
    // The group comes back, and so does the user.
    user_of(&api, &sign_in(json!(["Readers"])).await).await;
    // A user who was bound by the address stays without a group.
    api.has_address("mia", "mia@example.com").await;
    for groups in [json!(["Leads"]), json!([])] {
        let claims = person("mia", &json!({ "groups": groups }));
        let mia = user_of(&api, &provider.signs_in(&api.anonymous(), claims).await).await;
        assert_eq!(mia["role"], "manager");
    }
}

#[tokio::test]
async fn the_last_admin_keeps_the_role_and_the_journal_says_so() {
    let api = Api::start().await;
    let provider = api.has_provider(roles()).await;
    api.has_address("ada", "ada@example.com").await;
    let claims = || person("ada", &json!({"groups": ["Readers"]}));
    let ada = user_of(&api, &provider.signs_in(&api.anonymous(), claims()).await).await;
    assert_eq!(ada["role"], "admin");
    let entries = api.sign_in("ada").await.walk("/api/journal").await;
    let kept = json!({"role": "admin", "reason": "the last admin keeps the role"});
    assert!(
        entries.iter().any(|entry| entry["after"] == kept),
        "{entries:?}"
    );
    // With another admin, the groups count.
    let grace = person("grace", &json!({"groups": ["Owners"]}));
    user_of(&api, &provider.signs_in(&api.anonymous(), grace).await).await;
    let ada = user_of(&api, &provider.signs_in(&api.anonymous(), claims()).await).await;
    assert_eq!(ada["role"], "viewer");
}
