//! `PATCH /api/users/{id}`

use serde_json::json;

use super::head_of_staff;
use tests::support::{Api, shows};

#[tokio::test]
async fn a_change_keeps_what_is_absent() {
    let (api, [ada, mia]) = Api::signed_in(["ada", "mia"]).await;
    let path = format!("/api/users/{}", mia.id());
    let more = json!({"permissions": ["manage_tickets"], "role": "support"});
    ada.patch(&path, more).await.expect(200);
    api.clock.advance(1_000);
    let other = json!({"fullName": "Mia Tanaka", "username": "boss", "version": 7});
    let refused = ada.patch(&path, other).await;
    refused.expect_faults(&[("/username", "unchangeable"), ("/version", "unchangeable")]);
    let renamed = json!({"fullName": "Mia Tanaka", "username": "mia", "version": 2});
    let user = ada.patch(&path, renamed).await.expect(200);
    assert_eq!(
        user,
        json!({
            "id": mia.id(), "username": "mia", "fullName": "Mia Tanaka", "role": "support",
            "permissions": ["manage_tickets"], "disabled": false, "version": 3,
            "email": null, "emailBouncedAt": null, "emailVerifiedAt": null,
            "createdAt": "2026-01-15T12:00:00.000Z", "updatedAt": "2026-01-15T12:00:01.000Z",
        })
    );
    let none = json!({"permissions": []});
    let user = ada.patch(&path, none).await.expect(200);
    assert_eq!(user["permissions"], json!([]));
    // She is called so wherever she is shown.
    let session = mia.get("/api/auth/session").await.expect(200);
    assert_eq!(session["user"]["fullName"], "Mia Tanaka");
}

/// Whoever finds a token neither raises a user nor locks its owner out.
#[tokio::test]
async fn a_token_changes_no_role_permissions_or_disabled() {
    let api = Api::start().await;
    let ada = api.user("ada").await;
    let mia = api.user("mia").await.id;
    let script = api.token_of(&ada, json!({})).await;
    for id in [mia, ada.id] {
        let path = format!("/api/users/{id}");
        for change in [
            json!({"role": "admin"}),
            json!({"permissions": []}),
            json!({"disabled": true}),
            json!({"disabled": false, "fullName": "x"}),
        ] {
            let answer = script.patch(&path, change).await;
            answer.expect_problem(403, "session_required");
        }
        let name = json!({"fullName": "Someone Else"});
        script.patch(&path, name).await.expect(200);
    }
}

#[tokio::test]
async fn a_disabled_user_is_signed_out_at_once() {
    let (api, [ada, mia]) = Api::signed_in(["ada", "mia"]).await;
    let path = format!("/api/users/{}", mia.id());
    ada.patch(&path, json!({"disabled": true}))
        .await
        .expect(200);
    mia.get("/api/tasks")
        .await
        .expect_problem(401, "unauthenticated");
    let login = json!({"username": "mia", "password": tests::support::PASSWORD});
    let nobody = api.anonymous();
    nobody
        .post("/api/auth/login", login.clone())
        .await
        .expect(401);
    ada.patch(&path, json!({"disabled": false}))
        .await
        .expect(200);
    nobody.post("/api/auth/login", login).await.expect(200);
}

#[tokio::test]
async fn no_caller_gives_permissions_they_lack_even_to_themselves() {
    let api = Api::start().await;
    let max = head_of_staff(&api).await;
    let mia = api.user("mia").await.id.to_string();
    let own = max.id().to_string();
    let before = api.records().await;
    for id in [&mia, &own] {
        for change in [
            json!({"role": "admin"}),
            json!({"permissions": ["manage_organization"]}),
            json!({"role": "viewer", "permissions": ["manage_users", "manage_organization"]}),
        ] {
            let answer = max.patch(&format!("/api/users/{id}"), change).await;
            answer.expect_problem(403, "permission_denied");
        }
    }
    assert_eq!(before, api.records().await);
    let change = json!({"role": "manager", "permissions": ["manage_users"]});
    max.patch(&format!("/api/users/{mia}"), change)
        .await
        .expect(200);
}

/// Otherwise a manager could take an admin's place, or lower everybody above.
#[tokio::test]
async fn no_caller_changes_a_user_with_more_permissions() {
    let (api, [ada]) = Api::signed_in(["ada"]).await;
    let max = head_of_staff(&api).await;
    let vic = api.user("vic").await.id;
    let more = json!({"permissions": ["manage_organization"]});
    ada.patch(&format!("/api/users/{vic}"), more)
        .await
        .expect(200);
    let before = api.records().await;
    for id in [ada.id().to_string(), vic.to_string()] {
        for change in [
            json!({"role": "viewer", "permissions": []}),
            json!({"disabled": true}),
            json!({"fullName": "Nobody"}),
        ] {
            let answer = max.patch(&format!("/api/users/{id}"), change).await;
            answer.expect_problem(403, "permission_denied");
        }
        let path = format!("/api/users/{id}/password");
        let answer = max
            .put(&path, json!({"password": "in through the window"}))
            .await;
        answer.expect_problem(403, "permission_denied");
    }
    assert_eq!(before, api.records().await);
}

#[tokio::test]
async fn changes_at_the_same_time_lose_nothing() {
    let (api, [ada]) = Api::signed_in(["ada"]).await;
    let mia = api.user("mia").await.id;
    let path = format!("/api/users/{mia}");
    let (one, other) = tokio::join!(
        ada.patch(&path, json!({"fullName": "Mia Tanaka"})),
        ada.patch(&path, json!({"role": "admin"})),
    );
    one.expect(200);
    other.expect(200);
    let user = ada.get(&path).await.expect(200);
    shows!(user, {"fullName": "Mia Tanaka", "role": "admin"});
    assert_eq!(user["version"], 3);
}
