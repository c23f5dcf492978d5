//! `PUT`, `GET` and `DELETE /api/organizations/{id}/sign-in`

use serde_json::{Value, json};

use tests::support::{Api, OidcProvider, Settings, merges, patches, refused, rows_where, shows};

const PATH: &str = "/api/organizations/1/sign-in";

fn put(more: &Value) -> Value {
    let mut put = json!({
        "issuer": "http://localhost:9", "clientId": "workdesk", "clientSecret": "of the tests",
    });
    merges(&mut put, more);
    put
}

#[tokio::test]
async fn a_provider_is_set_read_and_deleted_and_its_secret_is_never_shown() {
    let (api, [ada]) = Api::signed_in(["ada"]).await;
    ada.get(PATH).await.expect_not_found();
    ada.delete(PATH).await.expect_not_found();
    let roles =
        json!({"roles": {"Staff / EU": "member"}, "defaultRole": "viewer", "groupsClaim": "teams"});
    let provider = ada.puts(PATH, put(&roles)).await;
    let expected = json!({
        "issuer": "http://localhost:9", "clientId": "workdesk", "roles": {"Staff / EU": "member"},
        "defaultRole": "viewer", "groupsClaim": "teams", "passwords": "allowed", "version": 1,
        "createdAt": "2026-01-15T12:00:00.000Z", "updatedAt": "2026-01-15T12:00:00.000Z",
    });
    assert_eq!(provider, expected);
    assert_eq!(ada.get(PATH).await.expect(200), expected);
    assert!(!api.table_dump().await.concat().contains("of the tests"));
    // It replaces what is not sent, but for the secret of the same client.
    let again = json!({"issuer": "http://localhost:9", "clientId": "workdesk"});
    let provider = ada.puts(PATH, again).await;
    shows!(provider, {"roles": {}, "defaultRole": null, "groupsClaim": "groups", "version": 2});
    for other in [
        json!({"issuer": "http://localhost:8"}),
        json!({"clientId": "other"}),
    ] {
        let mut sent = put(&other);
        sent.as_object_mut().unwrap().remove("clientSecret");
        refused!(ada.put(PATH, sent).await => [("/clientSecret", "required")]);
    }
    ada.deletes(PATH).await;
    ada.get(PATH).await.expect_not_found();
    let entries = ada.walk("/api/journal").await;
    let changed = rows_where(&entries, "event", "sign_in_changed");
    assert_eq!(changed.len(), 3);
    shows!(changed, {"/0/after/issuer": "http://localhost:9", "/2/after": null});
}

/// Beside the bounds that the document states.
#[tokio::test]
async fn faults_of_a_provider_are_named_by_their_places() {
    let (_, [ada]) = Api::signed_in(["ada"]).await;
    let many = (0..101).map(|number| (number.to_string(), json!("viewer")));
    let many: Value = many.collect();
    #[rustfmt::skip] // A line each.
    let cases = [
        (json!({"issuer": "https://Login.example.com"}), "/issuer", "pattern"),
        (json!({"issuer": "https://x@login.example.com"}), "/issuer", "pattern"),
        (json!({"issuer": "https://login.example.com?x"}), "/issuer", "pattern"),
        (json!({"clientId": "a b"}), "/clientId", "pattern"),
        (json!({"roles": ["admin"]}), "/roles", "type"),
        (json!({"roles": {"Staff": "owner"}}), "/roles/Staff", "value"),
        (json!({"roles": {"a/b": null}}), "/roles/a~1b", "null"),
        (json!({"roles": {"": "admin"}}), "/roles/", "blank"),
        (json!({"roles": many}), "/roles", "length"),
    ];
    for (more, pointer, code) in cases {
        refused!(ada.put(PATH, put(&more)).await => [(pointer, code)]);
    }
}

#[tokio::test]
async fn an_issuer_is_of_the_public_internet() {
    let api = Api::start_with(Settings::public()).await;
    let ada = api.sign_in("ada").await;
    for issuer in [
        "http://login.example.com",
        "https://localhost",
        "https://127.0.0.1",
        "https://login.internal",
    ] {
        let refused = ada.put(PATH, put(&json!({ "issuer": issuer }))).await;
        refused.expect_faults(&[("/issuer", "combination")]);
    }
    let invalid = json!({"issuer": "https://login.example.invalid"});
    ada.puts(PATH, put(&invalid)).await;
    // The name has no public address, and nothing is called.
    let answer = api.anonymous().get("/api/auth/oidc?organization=1").await;
    let unavailable = Some("/#sign-in=provider_unavailable");
    assert_eq!(answer.header("location"), unavailable);
}

#[tokio::test]
async fn no_role_is_above_the_callers() {
    let (_, [ada, max]) = Api::signed_in(["ada", "max"]).await;
    patches!(ada, &format!("/api/users/{}", max.id()), {"permissions": ["manage_organization"]});
    let owners = json!({"roles": {"Owners": "admin"}});
    for above in [owners.clone(), json!({"defaultRole": "admin"})] {
        max.put(PATH, put(&above)).await.expect_denied();
    }
    let leads = json!({"roles": {"Leads": "manager"}});
    max.puts(PATH, put(&leads)).await;
    // Nor does another change keep what is above.
    ada.puts(PATH, put(&owners)).await;
    max.put(PATH, put(&owners)).await.expect_denied();
}

#[tokio::test]
async fn passwords_are_off_once_an_admin_has_signed_in_by_the_provider() {
    let (api, [ada]) = Api::signed_in(["ada"]).await;
    let switches_off = async |provider: &OidcProvider| {
        let off = json!({"passwords": "off", "defaultRole": "member"});
        ada.put(PATH, provider.put(&off)).await
    };
    let provider = OidcProvider::start(&api.clock).await;
    refused!(switches_off(&provider).await => 409, "no_admin_signed_in");
    let on = provider.put(&json!({"defaultRole": "member"}));
    ada.puts(PATH, on).await;
    api.has_address("ada", "ada@example.com").await;
    // A member is no admin.
    for (name, status) in [("mia", 409), ("ada", 200)] {
        let email = format!("{name}@example.com");
        let claims = json!({"sub": name, "email": email, "email_verified": true});
        let signed_in = provider.signs_in(&api.anonymous(), claims).await;
        signed_in.expect(302);
        switches_off(&provider).await.expect(status);
    }
    // Another provider begins anew.
    let other = OidcProvider::start(&api.clock).await;
    refused!(switches_off(&other).await => 409, "no_admin_signed_in");
}
