//! The answers of eight providers, in the forms of their public documents and of public bug
//! reports. The people are invented, and a key of the test signs.

use serde_json::{Value, json};
use tests::support::{Api, OidcProvider, shows};

use super::{BEGIN, World};

/// The answers of a provider to one sign-in.
struct Recorded {
    name: &'static str,
    /// The path of its issuer.
    path: &'static str,
    /// The claim with the groups, by the setting.
    groups_claim: &'static str,
    /// Members of its discovery document.
    discovery: Value,
    /// Members of the token endpoint's answer, beside the tokens.
    answer: Value,
    /// Claims of the ID token, beside issuer, nonce and expiry. `info` has those of the user info.
    claims: Value,
    /// The username that the user is given.
    username: &'static str,
}

/// Auth0: the issuer ends in a slash, `updated_at` is a date, and groups have a claim with a URL as
/// its name.
fn auth0() -> Recorded {
    Recorded {
        name: "Auth0",
        path: "/",
        groups_claim: "https://workdesk.example/groups",
        discovery: json!({
            "device_authorization_endpoint": "https://halden.eu.auth0.com/oauth/device/code",
            "mfa_challenge_endpoint": "https://halden.eu.auth0.com/mfa/challenge",
            "registration_endpoint": "https://halden.eu.auth0.com/oidc/register",
            "scopes_supported": ["openid", "profile", "offline_access", "name", "given_name", "email"],
            "token_endpoint_auth_methods_supported": [
                "client_secret_basic", "client_secret_post", "private_key_jwt", "none",
            ],
            "request_uri_parameter_supported": false, "backchannel_logout_supported": true,
        }),
        answer: json!({"scope": "openid profile email", "expires_in": 86_400}),
        claims: json!({
            "aud": "workdesk", "sub": "auth0|63a1f0c2d4e5b6a798c0d1e2", "nickname": "grace.okafor",
            "name": "Grace Okafor", "picture": "https://s.gravatar.com/avatar/0?s=480",
            "updated_at": "2026-01-15T11:59:58.021Z", "email": "grace@halden.example", "email_verified": true,
            "sid": "nX3c", "https://workdesk.example/groups": ["Staff"],
        }),
        username: "grace",
    }
}

/// ZITADEL: `aud` has client and project, `azp` and `client_id` the client, and roles are an
/// object.
fn zitadel() -> Recorded {
    Recorded {
        name: "ZITADEL",
        path: "",
        groups_claim: "urn:zitadel:iam:org:project:roles",
        discovery: json!({
            "introspection_endpoint": "https://halden.zitadel.cloud/oauth/v2/introspect",
            "response_types_supported": ["code", "id_token", "id_token token"],
            "grant_types_supported": ["authorization_code", "implicit", "refresh_token"],
            "token_endpoint_auth_methods_supported": ["none", "client_secret_basic", "client_secret_post"],
            "request_object_signing_alg_values_supported": ["RS256"], "ui_locales_supported": ["en", "de"],
        }),
        answer: json!({"expires_in": 43_199, "state": "x"}),
        claims: json!({
            "aud": ["workdesk", "271828182845904523"], "azp": "workdesk", "client_id": "workdesk",
            "amr": ["pwd", "mfa"], "auth_time": 1_768_478_380, "at_hash": "hNp", "sub": "314159265358979323",
            "sid": "V1_3",
            "urn:zitadel:iam:org:project:roles": {"Staff": {"161803398874989484": "halden.zitadel.cloud"}},
            "info": {
                "sub": "314159265358979323", "name": "Grace Okafor", "given_name": "Grace", "family_name": "Okafor",
                "locale": null, "updated_at": 1_768_300_000, "preferred_username": "grace@halden.example",
                "email": "grace@halden.example", "email_verified": true,
            },
        }),
        username: "grace",
    }
}

/// Entra ID, version 2: groups are ids, no address is verified, and other people may have the same
/// address.
fn entra_v2() -> Recorded {
    Recorded {
        name: "Entra ID v2",
        path: "/6babcaad-604b-40ac-a9d7-9fd97c0b779f/v2.0",
        groups_claim: "groups",
        discovery: json!({
            "token_endpoint_auth_methods_supported": [
                "client_secret_post", "private_key_jwt", "client_secret_basic", "self_signed_tls_client_auth",
            ],
            "response_modes_supported": ["query", "fragment", "form_post"], "subject_types_supported": ["pairwise"],
            "scopes_supported": ["openid", "profile", "email", "offline_access"], "http_logout_supported": true,
            "tenant_region_scope": "EU", "cloud_instance_name": "microsoftonline.com", "rbac_url": "https://pas.windows.net",
        }),
        answer: json!({"expires_in": 3_599, "ext_expires_in": 3_599, "scope": "email openid profile"}),
        claims: json!({
            "aud": "workdesk", "iat": 1_768_478_100, "nbf": 1_768_478_100, "aio": "AXQAi/8IAAAA", "idp": "live.com",
            "email": "grace@halden.example", "name": "Grace Okafor", "oid": "690222be-ff1a-4d56-abd1-7e4f7d38e474",
            "preferred_username": "grace@halden.example", "rh": "0.AAAA", "uti": "fqiBqXLPj0eQa82S", "ver": "2.0",
            "sub": "AAAAAAAAAAAAAAAAAAAAAIkzqFVrSaSaFHy782bbtaQ", "tid": "6babcaad-604b-40ac-a9d7-9fd97c0b779f",
            "groups": ["8d2b1c8e-4f6a-4a2e-9f0f-0d6f7a1b2c3d", "Staff"],
        }),
        username: "grace",
    }
}

/// Entra ID, version 1: numbers are texts in the token endpoint's answer, `amr` and `upn` are
/// there, and no `preferred_username`.
fn entra_v1() -> Recorded {
    Recorded {
        name: "Entra ID v1",
        path: "/6babcaad-604b-40ac-a9d7-9fd97c0b779f/",
        groups_claim: "roles",
        discovery: json!({
            "token_endpoint_auth_methods_supported": ["client_secret_post", "private_key_jwt", "client_secret_basic"],
            "subject_types_supported": ["pairwise"], "microsoft_multi_refresh_token": true,
            "check_session_iframe": "https://login.microsoftonline.com/x/oauth2/checksession",
        }),
        answer: json!({
            "expires_in": "3599", "ext_expires_in": "3599", "expires_on": "1768482000", "not_before": "1768478100",
            "resource": "00000002-0000-0000-c000-000000000000", "scope": "openid",
        }),
        claims: json!({
            "aud": "workdesk", "iat": 1_768_478_100, "nbf": 1_768_478_100, "amr": ["pwd"], "ipaddr": "203.0.113.9",
            "family_name": "Okafor", "given_name": "Grace", "name": "Grace Okafor", "roles": ["Staff"],
            "oid": "690222be-ff1a-4d56-abd1-7e4f7d38e474", "sub": "subject_of_version_1", "ver": "1.0",
            "tid": "6babcaad-604b-40ac-a9d7-9fd97c0b779f", "unique_name": "grace@halden.example",
            "upn": "grace@halden.example", "email": "grace@halden.example",
        }),
        username: "grace",
    }
}

/// Okta: a thin token, `amr` and `ver`, and the rest in the user info, whose `updated_at` is a
/// number.
fn okta() -> Recorded {
    Recorded {
        name: "Okta",
        path: "",
        groups_claim: "groups",
        discovery: json!({
            "registration_endpoint": "https://halden.okta.com/oauth2/v1/clients", "dpop_signing_alg_values_supported": ["RS256"],
            "scopes_supported": ["openid", "email", "profile", "address", "phone", "offline_access", "groups"],
            "token_endpoint_auth_methods_supported": ["client_secret_basic", "client_secret_post", "client_secret_jwt"],
            "authorization_response_iss_parameter_supported": false,
        }),
        answer: json!({"expires_in": 3_600, "scope": "openid email profile groups"}),
        claims: json!({
            "sub": "00u1a2b3c4d5E6f7g8h9", "ver": 1, "aud": "workdesk", "iat": 1_768_478_400, "jti": "ID.4eAWJOCMB3SX8XewDfVR",
            "amr": ["pwd", "mfa", "otp"], "idp": "00o1n8sbwArJ7OQRw406", "auth_time": 1_768_478_000, "at_hash": "cpqK",
            "groups": ["Everyone", "Staff"],
            "info": {
                "sub": "00u1a2b3c4d5E6f7g8h9", "name": "Grace Okafor", "locale": "en_US", "zoneinfo": "Europe/Oslo",
                "email": "grace@halden.example", "email_verified": true, "updated_at": 1_768_000_000,
                "preferred_username": "grace@halden.example", "given_name": "Grace", "family_name": "Okafor",
                "address": {"country": "NO"}, "groups": ["Everyone", "Staff"],
            },
        }),
        username: "grace",
    }
}

/// Google: no groups, `hd`, a number as text for the subject, and `iss` in each answer to the
/// browser.
fn google() -> Recorded {
    Recorded {
        name: "Google",
        path: "",
        groups_claim: "groups",
        discovery: json!({
            "device_authorization_endpoint": "https://oauth2.googleapis.com/device/code",
            "revocation_endpoint": "https://oauth2.googleapis.com/revoke", "scopes_supported": ["openid", "email", "profile"],
            "token_endpoint_auth_methods_supported": ["client_secret_post", "client_secret_basic"],
            "code_challenge_methods_supported": ["plain", "S256"], "authorization_response_iss_parameter_supported": true,
        }),
        answer: json!({"expires_in": 3_599, "scope": "openid https://www.googleapis.com/auth/userinfo.email"}),
        claims: json!({
            "azp": "workdesk", "aud": "workdesk", "sub": "110169484474386276334", "hd": "halden.example",
            "email": "grace@halden.example", "email_verified": true, "at_hash": "HK6E", "name": "Grace Okafor",
            "picture": "https://lh3.googleusercontent.com/a/x", "given_name": "Grace", "family_name": "Okafor",
        }),
        username: "grace",
    }
}

/// Keycloak: `typ` and `session_state`, `acr` as text, roles below `realm_access`, and `iss` in
/// each answer.
fn keycloak() -> Recorded {
    Recorded {
        name: "Keycloak",
        path: "/realms/halden",
        groups_claim: "realm_access.roles",
        discovery: json!({
            "introspection_endpoint": "https://sso.halden.example/realms/halden/introspect", "frontchannel_logout_supported": true,
            "acr_values_supported": ["0", "1"], "mtls_endpoint_aliases": {"token_endpoint": "https://sso.halden.example/mtls"},
            "token_endpoint_auth_methods_supported": ["private_key_jwt", "client_secret_basic", "client_secret_post"],
            "scopes_supported": ["openid", "address", "roles", "email", "offline_access", "web-origins", "profile"],
            "authorization_response_iss_parameter_supported": true, "require_request_uri_registration": true,
        }),
        answer: json!({
            "expires_in": 300, "refresh_expires_in": 1_800, "not-before-policy": 0, "session_state": "9b5a", "refresh_token": "x",
        }),
        claims: json!({
            "aud": ["workdesk", "account"], "azp": "workdesk", "typ": "ID", "auth_time": 1_768_478_395, "session_state": "9b5a",
            "jti": "c9d1", "acr": "1", "sid": "9b5a", "sub": "f3c1b7de-6f2a-4c69-8a3c-2f7c1c8f9a10", "at_hash": "x",
            "realm_access": {"roles": ["default-roles-halden", "Staff"]}, "resource_access": {"account": {"roles": []}},
            "email_verified": true, "name": "Grace Okafor", "preferred_username": "grace", "email": "grace@halden.example",
        }),
        username: "grace",
    }
}

/// Authentik: an issuer for each application, which ends in a slash, and a hash as the subject.
fn authentik() -> Recorded {
    Recorded {
        name: "Authentik",
        path: "/application/o/workdesk/",
        groups_claim: "groups",
        discovery: json!({
            "scopes_supported": ["email", "profile", "openid"], "subject_types_supported": ["public"],
            "token_endpoint_auth_methods_supported": ["client_secret_post", "client_secret_basic"],
            "acr_values_supported": ["goauthentik.io/providers/oauth2/default"], "request_parameter_supported": false,
        }),
        answer: json!({"expires_in": 300, "refresh_token": ""}),
        claims: json!({
            "sub": "6d7fce9fee471194aa8b5b6e47267f0334a2fd2d53d1f7a5c5e1f8b1e4d4b2a1", "aud": "workdesk", "auth_time": 1_768_478_390,
            "acr": "goauthentik.io/providers/oauth2/default", "amr": ["pwd", "mfa"], "sid": "8b4f", "uid": "Yd4v",
            "email": "grace@halden.example", "email_verified": true, "name": "Grace Okafor", "given_name": "Grace Okafor",
            "preferred_username": "grace", "nickname": "grace", "groups": ["authentik Admins", "Staff"],
        }),
        username: "grace",
    }
}

/// Signicat: the user of an electronic identity, with a user info that is refused, and no address.
fn signicat() -> Recorded {
    Recorded {
        name: "Signicat",
        path: "/auth/open",
        groups_claim: "groups",
        discovery: json!({
            "subject_types_supported": ["public"], "claims_parameter_supported": true, "registration_endpoint": null,
            "pushed_authorization_request_endpoint": "https://halden.app.signicat.com/auth/open/connect/par",
            "token_endpoint_auth_methods_supported": ["client_secret_basic", "client_secret_post", "private_key_jwt"],
            "authorization_response_iss_parameter_supported": true,
        }),
        answer: json!({"expires_in": 600, "scope": "openid profile"}),
        claims: json!({
            "aud": "workdesk", "nbf": 1_768_478_400, "iat": 1_768_478_400, "auth_time": 1_768_478_399, "amr": "external",
            "sub": "z0bI2rnNRJfvrHLgRS5X_cYJXY0DkeYdlDHYQaBKXDQ=", "idp": "nbid", "sid": "6F2C", "at_hash": "x",
            "name": "Grace Okafor", "birthdate": "1990-02-17", "idp_issuer": "BankID", "address": "1 Main Street",
            "groups": "Staff", "info": 403,
        }),
        username: "user-",
    }
}

#[tokio::test]
async fn the_users_of_each_provider_sign_in() {
    for recorded in [
        auth0(),
        zitadel(),
        entra_v2(),
        entra_v1(),
        okta(),
        google(),
        keycloak(),
        authentik(),
        signicat(),
    ] {
        let api = Api::start().await;
        let provider = OidcProvider::start_at(&api.clock, recorded.path).await;
        provider.signs_with_rsa();
        provider.describes(recorded.discovery);
        provider.answers(recorded.answer);
        let has_groups = recorded.name != "Google";
        let roles = if has_groups {
            json!({"Staff": "support"})
        } else {
            json!({})
        };
        let settings =
            json!({"roles": roles, "defaultRole": "viewer", "groupsClaim": recorded.groups_claim});
        api.sets_provider(&provider, settings)
            .await;
        let world = World { api, provider };
        let nobody = world.api.anonymous();
        let begins = world
            .provider
            .begins(&nobody, BEGIN, recorded.claims);
        let (browser, back) = begins.await;
        let answer = browser
            .get(&format!("{back}&iss={}", world.provider.issuer))
            .await;
        assert_eq!(
            answer.header("location"),
            Some("/#/tasks"),
            "{}",
            recorded.name
        );
        let user = world.user_of(&answer).await;
        let role = if has_groups { "support" } else { "viewer" };
        shows!(user, {"fullName": "Grace Okafor", "role": role});
        let username = user["username"].as_str().unwrap();
        assert!(
            username.starts_with(recorded.username),
            "{}: {username}",
            recorded.name
        );
    }
}
