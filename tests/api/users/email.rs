//! `email` of users: unique in an organization, and seen by few

use serde_json::{Value, json};

use super::{head_of_staff, ingrid};
use tests::support::{Api, shows};

fn with_email(email: &str) -> Value {
    let mut body = ingrid();
    body["email"] = json!(email);
    body
}

#[tokio::test]
async fn an_address_is_seen_by_its_user_and_by_those_who_manage_users() {
    let (api, [ada]) = Api::signed_in(["ada"]).await;
    let (mia, vic) = (api.sign_in("mia").await, api.sign_in("vic").await);
    let path = format!("/api/users/{}", mia.id());
    let set = ada.patch(&path, json!({"email": "Mia@Example.com"})).await;
    let set = set.expect(200);
    shows!(set, {"email": "Mia@Example.com", "emailVerifiedAt": null});
    for (caller, sees) in [(&ada, true), (&mia, true), (&vic, false)] {
        let seen = caller.get(&path).await.expect(200);
        let rows = caller.walk("/api/users?query=mia").await;
        let expected = if sees {
            set["email"].clone()
        } else {
            Value::Null
        };
        assert_eq!(seen["email"], expected);
        assert_eq!(rows[0]["email"], expected);
    }
    let session = mia.get("/api/auth/session").await.expect(200);
    shows!(session["user"], {"email": "Mia@Example.com", "emailVerifiedAt": null});
    // No list finds a user by it.
    assert_eq!(vic.walk("/api/users?query=example").await, [Value::Null; 0]);
}

#[tokio::test]
async fn an_address_is_one_users_in_an_organization_in_every_case() {
    let (api, [ada, zoe]) = Api::signed_in(["ada", "zoe"]).await;
    let id = ada
        .creates("/api/users", with_email("ingrid@example.com"))
        .await;
    let mia = format!("/api/users/{}", api.user("mia").await.id);
    let mut other = with_email("INGRID@example.COM");
    other["username"] = json!("another");
    let before = api.records().await;
    let taken = ada.post("/api/users", other.clone()).await;
    taken.expect_problem(409, "email_taken");
    let taken = ada
        .patch(&mia, json!({"email": "Ingrid@Example.com"}))
        .await;
    taken.expect_problem(409, "email_taken");
    assert_eq!(before, api.records().await);
    // Another organization has users of its own.
    zoe.post("/api/users", other).await.expect(200);
    // A user who gave it up makes room.
    let ingrid = format!("/api/users/{id}");
    let upper = ada
        .patch(&ingrid, json!({"email": "INGRID@example.com"}))
        .await;
    assert_eq!(upper.expect(200)["email"], "INGRID@example.com");
    let none = ada.patch(&ingrid, json!({"email": null})).await;
    assert_eq!(none.expect(200)["email"], Value::Null);
    let free = ada
        .patch(&mia, json!({"email": "ingrid@example.com"}))
        .await;
    free.expect(200);
}

#[tokio::test]
async fn one_of_two_requests_for_an_address_gets_it() {
    let (api, [ada]) = Api::signed_in(["ada"]).await;
    let paths = [api.user("mia").await.id, api.user("vic").await.id];
    let [mia, vic] = paths.map(|id| format!("/api/users/{id}"));
    let email = json!({"email": "shared@example.com"});
    let (one, other) = tokio::join!(ada.patch(&mia, email.clone()), ada.patch(&vic, email));
    let mut statuses = [one.status, other.status];
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 409]);
}

#[tokio::test]
async fn an_address_is_changed_in_a_session_by_one_who_manages_users() {
    let api = Api::start().await;
    let max = head_of_staff(&api).await;
    let ada = api.user("ada").await;
    let mia = api.sign_in("mia").await;
    let (of_ada, of_mia) = (
        format!("/api/users/{}", ada.id),
        format!("/api/users/{}", mia.id()),
    );
    let email = json!({"email": "new@example.com"});
    let script = api.token_of(&ada, json!({})).await;
    let before = max.get(&of_mia).await.expect(200);
    for (caller, path, code) in [
        (&script, &of_mia, "session_required"),
        (&mia, &of_mia, "permission_denied"),
        (&max, &of_ada, "permission_denied"),
    ] {
        let refused = caller.patch(path, email.clone()).await;
        refused.expect_problem(403, code);
    }
    let header = json!({"email": "mia@example.com\r\nBcc: eve@example.com"});
    let refused = max.patch(&of_mia, header).await;
    refused.expect_faults(&[("/email", "pattern")]);
    assert_eq!(before, max.get(&of_mia).await.expect(200));
    max.patch(&of_mia, email).await.expect(200);
}
