//! Sign-ins by nine providers, with their recorded answers. A key of the test signs.

use serde::Deserialize;
use serde_json::{Value, json};
use tests::support::{Api, OidcProvider, shows};

use super::{BEGIN, World};

/// The answers of a provider to one sign-in, as `providers.yaml` describes them.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Recorded {
    name: String,
    path: String,
    groups_claim: String,
    username: String,
    discovery: Value,
    answer: Value,
    claims: Value,
}

#[tokio::test]
async fn the_users_of_each_provider_sign_in() {
    let all: Vec<Recorded> = serde_saphyr::from_str(include_str!("providers.yaml")).unwrap();
    assert_eq!(all.len(), 9);
    for recorded in all {
        let api = Api::start().await;
        let provider = OidcProvider::start_at(&api.clock, &recorded.path).await;
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
            username.starts_with(&recorded.username),
            "{}: {username}",
            recorded.name
        );
    }
}
