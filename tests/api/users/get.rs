//! `GET /api/users/{id}`

use serde_json::Value;
use tests::support::{Api, patches, snapshot};

#[tokio::test]
async fn extra_permissions_are_shown_to_those_who_manage_users() {
    let (_, [ada, mia]) = Api::signed_in(["ada", "mia"]).await;
    let path = format!("/api/users/{}", mia.id());
    patches!(ada, &path, {"permissions": ["manage_tickets"]});
    let seen = ada.reads(&path).await;
    snapshot!(seen, @r#"
    {
      "createdAt": "2026-01-15T12:00:00.000Z",
      "disabled": false,
      "email": null,
      "emailBouncedAt": null,
      "emailVerifiedAt": null,
      "fullName": "Mia Tester",
      "id": 2,
      "permissions": ["manage_tickets"],
      "role": "member",
      "updatedAt": "2026-01-15T12:00:00.000Z",
      "username": "mia",
      "version": 2
    }
    "#);
    // Not even her own.
    assert_eq!(mia.reads(&path).await["permissions"], Value::Null);
    assert!(!seen.to_string().contains("argon2"));
}
