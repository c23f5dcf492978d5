//! `PATCH /api/users/{id}`

use serde_json::json;
use tests::support::{Api, PASSWORD, patches, refused};

use super::head_of_staff;

/// Whoever finds a token neither raises a user nor locks its owner out.
#[tokio::test]
async fn a_token_changes_no_role_permissions_or_disabled() {
    let (api, [ada]) = Api::with_users(["ada"]).await;
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
            refused!(script.patch(&path, change).await => 403, "session_required");
        }
        patches!(script, &path, {"fullName": "Someone Else"});
    }
}

#[tokio::test]
async fn a_user_is_renamed_and_signed_out_at_once() {
    let (api, [ada, mia]) = Api::signed_in(["ada", "mia"]).await;
    let path = format!("/api/users/{}", mia.id());
    patches!(ada, &path, {"fullName": "Mia Tanaka"});
    let session = mia.reads("/api/auth/session").await;
    assert_eq!(session["user"]["fullName"], "Mia Tanaka");
    patches!(ada, &path, {"disabled": true});
    mia.is_signed_out().await;
    let nobody = api.anonymous();
    nobody
        .logs_in("mia", PASSWORD)
        .await
        .expect(401);
    patches!(ada, &path, {"disabled": false});
    nobody
        .logs_in("mia", PASSWORD)
        .await
        .expect(200);
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
            let answer = max
                .patch(&format!("/api/users/{id}"), change)
                .await;
            answer.expect_denied();
        }
    }
    assert_eq!(before, api.records().await);
    // Nor those they hold: that guards the organization.
    let of_mia = format!("/api/users/{mia}");
    max.patch(&of_mia, json!({"role": "manager"}))
        .await
        .expect_denied();
    patches!(max, &of_mia, {"disabled": true});
}

/// Otherwise a manager could take an admin's place, or lower everybody above.
#[tokio::test]
async fn no_caller_changes_a_user_with_more_permissions() {
    let (api, [ada]) = Api::signed_in(["ada"]).await;
    let max = head_of_staff(&api).await;
    let vic = api.user("vic").await.id;
    patches!(ada, "/api/users/{vic}", {"permissions": ["manage_organization"]});
    let before = api.records().await;
    for id in [ada.id().to_string(), vic.to_string()] {
        for change in [
            json!({"role": "viewer", "permissions": []}),
            json!({"disabled": true}),
            json!({"fullName": "Nobody"}),
        ] {
            let answer = max
                .patch(&format!("/api/users/{id}"), change)
                .await;
            answer.expect_denied();
        }
        let path = format!("/api/users/{id}/password");
        let body = json!({"password": "in through the window"});
        max.put(&path, body)
            .await
            .expect_denied();
    }
    assert_eq!(before, api.records().await);
}
