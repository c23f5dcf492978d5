//! `GET /api/users/{id}`

use serde_json::{Value, json};
use tests::support::{Api, patches};

#[tokio::test]
async fn extra_permissions_are_shown_to_those_who_manage_users() {
    let (_, [ada, mia]) = Api::signed_in(["ada", "mia"]).await;
    let path = format!("/api/users/{}", mia.id());
    patches!(ada, &path, {"permissions": ["manage_tickets"]});
    let seen = ada.reads(&path).await;
    let expected = json!({
        "id": mia.id(), "username": "mia", "fullName": "Mia Tester", "role": "member",
        "permissions": ["manage_tickets"], "disabled": false, "version": 2,
        "email": null, "emailBouncedAt": null, "emailVerifiedAt": null,
        "createdAt": "2026-01-15T12:00:00.000Z", "updatedAt": "2026-01-15T12:00:00.000Z",
    });
    assert_eq!(seen, expected);
    // Not even her own.
    assert_eq!(mia.reads(&path).await["permissions"], Value::Null);
    assert!(!seen.to_string().contains("argon2"));
}
