//! `PUT`, `GET` and `DELETE /api/organizations/{id}/sign-in`

use serde_json::{Value, json};
use shared::model::base::span;
use tests::support::{
    Api, OidcProvider, PASSWORD, Settings, merges, patches, puts, refused, rows_where, shows,
    snapshot,
};

const PATH: &str = "/api/organizations/1/sign-in";

/// A body for an issuer that no request of it reaches, since it is refused before.
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
    ada.delete(PATH)
        .await
        .expect_not_found();
    let oidc = OidcProvider::start(&api.clock).await;
    let secret = json!({"clientSecret": "of the tests"});
    let roles =
        json!({"roles": {"Staff / EU": "member"}, "defaultRole": "viewer", "groupsClaim": "teams"});
    let mut first = oidc.put(&roles);
    merges(&mut first, &secret);
    let provider = ada.puts(PATH, first).await;
    assert_eq!(provider["issuer"], oidc.issuer);
    snapshot!(provider, @r#"
    {
      "clientId": "workdesk",
      "createdAt": "2026-01-15T12:00:00.000Z",
      "defaultRole": "viewer",
      "groupsClaim": "teams",
      "issuer": "http://127.0.0.1:[port]",
      "leaverDays": 30,
      "ownRedirectUri": true,
      "passwordAdmins": [],
      "passwords": "allowed",
      "redirectUri": "https://api.workdesk.example/api/auth/oidc/callback/1",
      "roles": {"Staff / EU": "member"},
      "updatedAt": "2026-01-15T12:00:00.000Z",
      "version": 1
    }
    "#);
    assert_eq!(ada.reads(PATH).await, provider);
    assert!(
        !api.table_dump()
            .await
            .concat()
            .contains("of the tests")
    );
    // It replaces what is not sent, but for the secret of the same client.
    let provider = puts!(ada, PATH, {"issuer": oidc.issuer, "clientId": "workdesk"});
    shows!(provider, {"roles": {}, "defaultRole": null, "groupsClaim": "groups", "version": 2});
    let other = OidcProvider::start(&api.clock).await;
    for other in [
        json!({"issuer": other.issuer}),
        json!({"clientId": "other"}),
    ] {
        let mut sent = oidc.put(&other);
        sent.as_object_mut()
            .unwrap()
            .remove("clientSecret");
        refused!(ada.put(PATH, sent).await => [("/clientSecret", "required")]);
    }
    ada.deletes(PATH).await;
    ada.get(PATH).await.expect_not_found();
    let entries = ada.walk("/api/journal").await;
    let changed = rows_where(&entries, "event", "sign_in_changed");
    assert_eq!(changed.len(), 3);
    shows!(changed, {"/0/after/issuer": oidc.issuer, "/2/after": null});
}

/// Beside the bounds that the document states.
#[tokio::test]
async fn faults_of_a_provider_are_named_by_their_places() {
    let (_, [ada]) = Api::signed_in(["ada"]).await;
    let many = (0..101).map(|number| (number.to_string(), json!("viewer")));
    let many: Value = many.collect();
    let cases = [
        (
            json!({"issuer": "https://Login.example.com"}),
            "/issuer",
            "pattern",
        ),
        (
            json!({"issuer": "https://x@login.example.com"}),
            "/issuer",
            "pattern",
        ),
        (
            json!({"issuer": "https://login.example.com?x"}),
            "/issuer",
            "pattern",
        ),
        (json!({"clientId": "a b"}), "/clientId", "pattern"),
        (json!({"roles": ["admin"]}), "/roles", "type"),
        (
            json!({"roles": {"Staff": "owner"}}),
            "/roles/Staff",
            "value",
        ),
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
        let refused = ada
            .put(PATH, put(&json!({ "issuer": issuer })))
            .await;
        refused.expect_faults(&[("/issuer", "combination")]);
    }
    // The name has no public address, and nothing is called.
    let invalid = json!({"issuer": "https://login.example.invalid"});
    let refused = ada.put(PATH, put(&invalid)).await;
    let problem = refused.expect_problem(400, "validation_error");
    let detail = problem["errors"][0]["detail"]
        .as_str()
        .unwrap();
    assert!(detail.contains("login.example.invalid"), "{detail}");
}

/// Whoever sets the provider could be anyone of the organization.
#[tokio::test]
async fn a_manager_who_manages_the_organization_becomes_no_admin_by_a_provider() {
    let (api, [ada, max]) = Api::signed_in(["ada", "max"]).await;
    patches!(ada, &format!("/api/users/{}", max.id()), {"permissions": ["manage_organization"]});
    let own = OidcProvider::start(&api.clock).await;
    let before = api.records().await;
    max.put(PATH, own.put(&json!({})))
        .await
        .expect_denied();
    max.delete(PATH).await.expect_denied();
    max.get(PATH).await.expect_denied();
    assert_eq!(before, api.records().await);
    let begun = api
        .anonymous()
        .get("/api/auth/oidc?organization=1")
        .await;
    begun.expect_not_found();
}

#[tokio::test]
async fn passwords_are_off_for_all_but_the_named_admins() {
    let (api, [ada, mia]) = Api::signed_in(["ada", "mia"]).await;
    let provider = OidcProvider::start(&api.clock).await;
    let off = |admins: Value| provider.put(&json!({"passwords": "off", "passwordAdmins": admins}));
    refused!(ada.put(PATH, off(json!([]))).await => 409, "no_admin_signed_in");
    ada.puts(PATH, provider.put(&json!({})))
        .await;
    api.is_bound("ada", &provider.issuer)
        .await;
    // The caller must have signed in by it, not another admin.
    refused!(ada.put(PATH, off(json!([]))).await => 409, "no_admin_signed_in");
    let person = json!({"sub": "sub-ada"});
    let answer = provider
        .signs_in(&api.anonymous(), person)
        .await;
    let bound = api
        .anonymous()
        .with_cookie(answer.session());
    for no_admin in [mia.id(), 99] {
        let refused = bound
            .put(PATH, off(json!([no_admin])))
            .await;
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
    let (_, token) = api
        .has_invitation(&api.user("ada").await, invited)
        .await;
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
    nobody
        .logs_in("ada", PASSWORD)
        .await
        .expect(200);
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
    api.is_bound("mia", &provider.issuer)
        .await;
    let signs_in = async || {
        let person = json!({"sub": "sub-mia"});
        let answer = provider
            .signs_in(&api.anonymous(), person)
            .await;
        api.anonymous()
            .with_cookie(answer.session())
    };
    signs_in().await;
    api.clock.advance(2 * span::DAY - 1);
    token
        .get("/api/auth/session")
        .await
        .expect(200);
    let session = signs_in().await;
    api.clock.advance(span::DAY - 1);
    session
        .get("/api/auth/session")
        .await
        .expect(200);
    api.clock.advance(span::DAY + 1);
    for caller in [&session, &token] {
        refused!(caller.get("/api/auth/session").await => 401, "unauthenticated");
    }
    // A user who is not bound goes on, and so does everyone without a provider.
    other
        .get("/api/auth/session")
        .await
        .expect(200);
    api.sign_in("ada")
        .await
        .deletes(PATH)
        .await;
    api.clock.advance(10_000);
    token
        .get("/api/auth/session")
        .await
        .expect(200);
}

/// Admins hear of it, and not their users.
#[tokio::test]
async fn an_issuer_without_a_discovery_document_of_its_own_is_refused() {
    let (api, [ada]) = Api::signed_in(["ada"]).await;
    let slashed = OidcProvider::start_at(&api.clock, "/application/o/workdesk/").await;
    let without = slashed.issuer.trim_end_matches('/');
    let stated = format!(
        "The provider states the issuer {}. Send that one.",
        slashed.issuer
    );
    let at = |path: &str| format!("{without}{path}");
    let document = at("/.well-known/openid-configuration");
    let lacks = |member| format!("The answer of {document} has no `{member}` that can be used.");
    let long = "x".repeat(2_001);
    for (discovery, issuer, detail) in [
        (json!({}), without, stated),
        (json!({"issuer": null}), &*slashed.issuer, lacks("issuer")),
        (
            json!({"token_endpoint": null}),
            &*slashed.issuer,
            lacks("token_endpoint"),
        ),
        (
            json!({"token_endpoint": 7}),
            &*slashed.issuer,
            lacks("token_endpoint"),
        ),
        (
            json!({"authorization_endpoint": long}),
            &*slashed.issuer,
            lacks("authorization_endpoint"),
        ),
        (
            json!({"jwks_uri": at("/none")}),
            &*slashed.issuer,
            format!(
                "The answer of {} has the status 404 Not Found.",
                at("/none")
            ),
        ),
        (
            json!({"jwks_uri": document}),
            &*slashed.issuer,
            lacks("keys"),
        ),
    ] {
        slashed.describes(discovery);
        let put = slashed.put(&json!({"issuer": issuer}));
        let refused = ada.put(PATH, put).await;
        let problem = refused.expect_problem(400, "validation_error");
        shows!(problem["errors"][0], {"pointer": "/issuer", "code": "combination", "detail": detail});
        ada.get(PATH).await.expect_not_found();
    }
    slashed.describes(json!({}));
    slashed.is_down(true);
    let refused = ada
        .put(PATH, slashed.put(&json!({})))
        .await;
    refused.expect_faults(&[("/issuer", "combination")]);
    slashed.is_down(false);
    ada.puts(PATH, slashed.put(&json!({})))
        .await;
    // Of a provider that is down, other settings change.
    slashed.is_down(true);
    let roles = json!({"roles": {"Staff": "viewer"}});
    let provider = ada
        .puts(PATH, slashed.put(&roles))
        .await;
    assert_eq!(provider["roles"], roles["roles"]);
    // Of one that states another issuer by now, none does.
    slashed.is_down(false);
    slashed.describes(json!({"issuer": "https://login.example.com"}));
    let refused = ada.put(PATH, slashed.put(&roles)).await;
    refused.expect_faults(&[("/issuer", "combination")]);
}

#[tokio::test]
async fn a_test_of_the_provider_says_what_is_wrong() {
    let (api, [ada]) = Api::signed_in(["ada"]).await;
    let test = format!("{PATH}/test");
    ada.trigger(&test)
        .await
        .expect_not_found();
    let oidc = api
        .has_provider(json!({"defaultRole": "member"}))
        .await;
    let answers = ada.triggers(&test).await;
    let detail = "The provider answers, with 1 keys.";
    assert_eq!(
        answers,
        json!({"issuer": oidc.issuer, "ok": true, "detail": detail})
    );
    oidc.is_down(true);
    let silent = ada.triggers(&test).await;
    let detail = format!(
        "The answer of {}/.well-known/openid-configuration has the status 503 Service Unavailable.",
        oidc.issuer
    );
    assert_eq!(
        silent,
        json!({"issuer": oidc.issuer, "ok": false, "detail": detail})
    );
    oidc.is_down(false);
    // What it reads is kept: the next sign-in knows the new key.
    oidc.rotates();
    ada.triggers(&test).await;
    let read = oidc.keys_read();
    let grace = json!({"sub": "grace", "preferred_username": "grace"});
    let signed_in = oidc
        .signs_in(&api.anonymous(), grace)
        .await;
    assert_eq!(signed_in.header("location"), Some("/#/tasks"));
    assert_eq!(oidc.keys_read(), read);
    // Another organization's is not there.
    let zoe = api.sign_in("zoe").await;
    zoe.trigger(&test)
        .await
        .expect_not_found();
}
