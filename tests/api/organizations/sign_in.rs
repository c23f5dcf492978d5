//! `PUT`, `GET` and `DELETE /api/organizations/{id}/sign-in`

use serde_json::{Value, json};

use tests::support::{AgentSettings, Api, OidcProvider, Settings, budgets::within, merges, shows};

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
    ada.get(PATH).await.expect_problem(404, "not_found");
    ada.delete(PATH).await.expect_problem(404, "not_found");
    api.counter.take();
    let roles =
        json!({"roles": {"Staff / EU": "member"}, "defaultRole": "viewer", "groupsClaim": "teams"});
    let answer = ada.put(PATH, put(&roles)).await;
    let provider = within(&api, "PUT /api/organizations/{id}/sign-in", 200, &answer);
    let expected = json!({
        "issuer": "http://localhost:9", "clientId": "workdesk", "roles": {"Staff / EU": "member"},
        "defaultRole": "viewer", "groupsClaim": "teams", "passwords": "allowed", "version": 1,
        "createdAt": "2026-01-15T12:00:00.000Z", "updatedAt": "2026-01-15T12:00:00.000Z",
    });
    assert_eq!(provider, expected);
    let answer = ada.get(PATH).await;
    assert_eq!(
        within(&api, "GET /api/organizations/{id}/sign-in", 200, &answer),
        expected
    );
    assert!(!api.table_dump().await.concat().contains("of the tests"));
    // It replaces what is not sent, but for the secret of the same client.
    let again = json!({"issuer": "http://localhost:9", "clientId": "workdesk"});
    let provider = ada.put(PATH, again).await.expect(200);
    shows!(provider, {"roles": {}, "defaultRole": null});
    shows!(provider, {"groupsClaim": "groups", "version": 2});
    for other in [
        json!({"issuer": "http://localhost:8"}),
        json!({"clientId": "other"}),
    ] {
        let mut sent = put(&other);
        sent.as_object_mut().unwrap().remove("clientSecret");
        ada.put(PATH, sent)
            .await
            .expect_faults(&[("/clientSecret", "required")]);
    }
    api.counter.take();
    let answer = ada.delete(PATH).await;
    within(&api, "DELETE /api/organizations/{id}/sign-in", 204, &answer);
    ada.get(PATH).await.expect_problem(404, "not_found");
    let entries = ada.walk("/api/journal").await;
    let changed: Vec<&Value> = entries
        .iter()
        .filter(|one| one["event"] == "sign_in_changed")
        .collect();
    assert_eq!(changed.len(), 3);
    shows!(changed, {"/0/after/issuer": "http://localhost:9", "/2/after": null});
}

#[tokio::test]
async fn faults_of_a_provider_are_named_by_their_places() {
    let (_, [ada]) = Api::signed_in(["ada"]).await;
    ada.put(PATH, json!({}))
        .await
        .expect_faults(&[("/issuer", "required"), ("/clientId", "required")]);
    #[rustfmt::skip] // A line each.
    let cases = [
        (json!({"issuer": "https://Login.example.com"}), "/issuer", "pattern"),
        (json!({"issuer": "https://x@login.example.com"}), "/issuer", "pattern"),
        (json!({"issuer": "https://login.example.com?x"}), "/issuer", "pattern"),
        (json!({"clientId": "a b"}), "/clientId", "pattern"),
        (json!({"clientSecret": ""}), "/clientSecret", "length"),
        (json!({"roles": ["admin"]}), "/roles", "type"),
        (json!({"roles": {"Staff": "owner"}}), "/roles/Staff", "value"),
        (json!({"roles": {"a/b": null}}), "/roles/a~1b", "null"),
        (json!({"roles": {"": "admin"}}), "/roles/", "blank"),
        (json!({"defaultRole": "owner"}), "/defaultRole", "value"),
        (json!({"groupsClaim": ""}), "/groupsClaim", "length"),
        (json!({"passwords": "never"}), "/passwords", "value"),
    ];
    for (more, pointer, code) in cases {
        ada.put(PATH, put(&more))
            .await
            .expect_faults(&[(pointer, code)]);
    }
    let many: Value = (0..101)
        .map(|number| (number.to_string(), json!("viewer")))
        .collect();
    ada.put(PATH, put(&json!({"roles": many})))
        .await
        .expect_faults(&[("/roles", "length")]);
}

#[tokio::test]
async fn an_issuer_is_of_the_public_internet() {
    let agent = AgentSettings {
        is_public: true,
        ..AgentSettings::default()
    };
    let settings = Settings {
        agent,
        ..Settings::default()
    };
    let api = Api::start_with(settings).await;
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
    ada.put(
        PATH,
        put(&json!({"issuer": "https://login.example.invalid"})),
    )
    .await
    .expect(200);
    // The name has no public address, and nothing is called.
    let answer = api.anonymous().get("/api/auth/oidc?organization=1").await;
    assert_eq!(
        answer.header("location"),
        Some("/#sign-in=provider_unavailable")
    );
}

#[tokio::test]
async fn no_role_is_above_the_callers_and_no_other_organization_is_reached() {
    let api = Api::start().await;
    let (ada, max) = (api.sign_in("ada").await, api.user("max").await);
    let may = json!({"permissions": ["manage_organization"]});
    ada.patch(&format!("/api/users/{}", max.id), may)
        .await
        .expect(200);
    let max = api.sign_in("max").await;
    for above in [
        json!({"roles": {"Owners": "admin"}}),
        json!({"defaultRole": "admin"}),
    ] {
        max.put(PATH, put(&above))
            .await
            .expect_problem(403, "permission_denied");
    }
    max.put(PATH, put(&json!({"roles": {"Leads": "manager"}})))
        .await
        .expect(200);
    // Nor does another change keep what is above.
    ada.put(PATH, put(&json!({"roles": {"Owners": "admin"}})))
        .await
        .expect(200);
    max.put(PATH, put(&json!({"roles": {"Owners": "admin"}})))
        .await
        .expect(403);
    let mia = api.sign_in("mia").await;
    mia.put(PATH, put(&json!({})))
        .await
        .expect_problem(403, "permission_denied");
    let (zoe, abroad) = (api.sign_in("zoe").await, "/api/organizations/2/sign-in");
    for path in [PATH, abroad] {
        let other = if path == PATH { &zoe } else { &ada };
        other
            .put(path, put(&json!({})))
            .await
            .expect_problem(404, "not_found");
        other.get(path).await.expect_problem(404, "not_found");
        other.delete(path).await.expect_problem(404, "not_found");
    }
    let token = api.token_of(&api.user("ada").await, json!({})).await;
    token
        .put(PATH, put(&json!({})))
        .await
        .expect_problem(403, "session_required");
    token
        .get(PATH)
        .await
        .expect_problem(403, "session_required");
    token
        .delete(PATH)
        .await
        .expect_problem(403, "session_required");
}

#[tokio::test]
async fn passwords_are_off_once_an_admin_has_signed_in_by_the_provider() {
    let api = Api::start().await;
    let provider = OidcProvider::start(&api.clock).await;
    let ada = api.sign_in("ada").await;
    let off = json!({"passwords": "off", "defaultRole": "member"});
    let refused = ada.put(PATH, provider.put(&off)).await;
    refused.expect_problem(409, "no_admin_signed_in");
    ada.put(PATH, provider.put(&json!({"defaultRole": "member"})))
        .await
        .expect(200);
    // A member is no admin.
    let member = json!({"sub": "m", "email": "m@example.com", "email_verified": true});
    provider
        .signs_in(&api.anonymous(), member)
        .await
        .expect(302);
    ada.put(PATH, provider.put(&off))
        .await
        .expect_problem(409, "no_admin_signed_in");
    api.has_address("ada", "ada@example.com").await;
    let claims = json!({"sub": "a", "email": "ada@example.com", "email_verified": true});
    provider
        .signs_in(&api.anonymous(), claims)
        .await
        .expect(302);
    ada.put(PATH, provider.put(&off)).await.expect(200);
    // Another provider begins anew.
    let other = OidcProvider::start(&api.clock).await;
    ada.put(PATH, other.put(&off))
        .await
        .expect_problem(409, "no_admin_signed_in");
}
