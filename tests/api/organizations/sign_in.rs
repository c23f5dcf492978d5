//! `PUT`, `GET` and `DELETE /api/organizations/{id}/sign-in`

use serde_json::{Value, json};
use shared::model::span;

use tests::support::{
    Api, OidcProvider, PASSWORD, Settings, merges, patches, refused, rows_where, shows,
};

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
        "defaultRole": "viewer", "groupsClaim": "teams", "passwords": "allowed", "passwordAdmins": [], "leaverDays": 30, "version": 1,
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

/// Whoever sets the provider could be anyone of the organization.
#[tokio::test]
async fn a_manager_who_manages_the_organization_becomes_no_admin_by_a_provider() {
    let (api, [ada, max]) = Api::signed_in(["ada", "max"]).await;
    patches!(ada, &format!("/api/users/{}", max.id()), {"permissions": ["manage_organization"]});
    let own = OidcProvider::start(&api.clock).await;
    let before = api.records().await;
    max.put(PATH, own.put(&json!({}))).await.expect_denied();
    max.delete(PATH).await.expect_denied();
    max.get(PATH).await.expect_denied();
    assert_eq!(before, api.records().await);
    let begun = api.anonymous().get("/api/auth/oidc?organization=1").await;
    assert_eq!(
        begun.header("location"),
        Some("/#sign-in=provider_unavailable")
    );
}

#[tokio::test]
async fn passwords_are_off_for_all_but_the_named_admins() {
    let (api, [ada, mia]) = Api::signed_in(["ada", "mia"]).await;
    let provider = OidcProvider::start(&api.clock).await;
    let off = |admins: Value| provider.put(&json!({"passwords": "off", "passwordAdmins": admins}));
    refused!(ada.put(PATH, off(json!([]))).await => 409, "no_admin_signed_in");
    ada.puts(PATH, provider.put(&json!({}))).await;
    api.is_bound("ada", &provider.issuer).await;
    // The caller must have signed in by it, not another admin.
    refused!(ada.put(PATH, off(json!([]))).await => 409, "no_admin_signed_in");
    let person = json!({"sub": "sub-ada"});
    let answer = provider.signs_in(&api.anonymous(), person).await;
    let bound = api.anonymous().with_cookie(answer.session());
    for no_admin in [mia.id(), 99] {
        let refused = bound.put(PATH, off(json!([no_admin]))).await;
        refused.expect_faults(&[("/passwordAdmins", "unknown")]);
    }
    bound.puts(PATH, off(json!([]))).await;
    let nobody = api.anonymous();
    for name in ["ada", "mia"] {
        refused!(nobody.logs_in(name, PASSWORD).await => 403, "password_sign_in_off");
        let ways = nobody
            .reads(&format!("/api/auth/sign-in?username={name}"))
            .await;
        assert_eq!(ways["passwords"], false, "{name}");
    }
    let words = json!({"password": "a horse of another colour"});
    let password = format!("/api/users/{}/password", mia.id());
    refused!(bound.put(&password, words).await => 403, "password_sign_in_off");
    let grace = json!({"username": "grace", "fullName": "Grace Okafor", "role": "member"});
    let mut with_password = grace.clone();
    with_password["password"] = json!("a horse of another colour");
    refused!(bound.post("/api/users", with_password).await => 403, "password_sign_in_off");
    bound.posts("/api/users", grace).await;
    let invited = json!({"email": "lin@example.com", "role": "member"});
    let (_, token) = api.has_invitation(&api.user("ada").await, invited).await;
    let accepted = json!({
        "token": token, "username": "lin", "fullName": "Lin", "password": "a horse of another colour",
    });
    refused!(nobody.post("/api/auth/accept", accepted).await => 403, "password_sign_in_off");
    let lists = async |connected: bool| {
        let users = bound
            .walk(&format!("/api/users?connected={connected}"))
            .await;
        users
            .into_iter()
            .map(|user| user["username"].clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(lists(true).await, ["ada"]);
    assert_eq!(lists(false).await, ["grace", "mia"]);
    // An admin who is named has a way in of their own.
    bound
        .puts(
            PATH,
            off(json!([
                bound.reads("/api/auth/session").await["user"]["id"]
            ])),
        )
        .await;
    nobody.logs_in("ada", PASSWORD).await.expect(200);
    refused!(nobody.logs_in("mia", PASSWORD).await => 403, "password_sign_in_off");
}

/// Sessions and tokens of a user whom the provider signs in no more end.
#[tokio::test]
async fn a_leavers_sessions_and_tokens_end_some_days_after_the_last_sign_in() {
    let (api, [ada]) = Api::signed_in(["ada"]).await;
    let provider = OidcProvider::start(&api.clock).await;
    ada.puts(PATH, provider.put(&json!({"leaverDays": 2})))
        .await;
    let mia = api.user("mia").await;
    let token = api.token_of(&mia, json!({})).await;
    let max = api.user("max").await;
    let other = api.token_of(&max, json!({})).await;
    api.is_bound("mia", &provider.issuer).await;
    let signs_in = async || {
        let person = json!({"sub": "sub-mia"});
        let answer = provider.signs_in(&api.anonymous(), person).await;
        api.anonymous().with_cookie(answer.session())
    };
    signs_in().await;
    api.clock.advance(2 * span::DAY - 1);
    token.get("/api/auth/session").await.expect(200);
    let session = signs_in().await;
    api.clock.advance(span::DAY - 1);
    session.get("/api/auth/session").await.expect(200);
    api.clock.advance(span::DAY + 1);
    for caller in [&session, &token] {
        refused!(caller.get("/api/auth/session").await => 401, "unauthenticated");
    }
    // A user who is not bound goes on, and so does everyone without a provider.
    other.get("/api/auth/session").await.expect(200);
    api.sign_in("ada").await.deletes(PATH).await;
    api.clock.advance(10_000);
    token.get("/api/auth/session").await.expect(200);
}
