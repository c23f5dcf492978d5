//! `PATCH /api/organizations/{id}`

use serde_json::json;
use tests::support::{Api, patches, refused, shows};

#[tokio::test]
async fn a_renamed_organization_is_called_and_found_so_everywhere() {
    let (api, [ada]) = Api::signed_in(["ada"]).await;
    api.clock.advance(1_000);
    let body = json!({"name": "Fjord Services", "planFeatures": [], "id": 1});
    let organization = ada
        .patches("/api/organizations/1", body)
        .await;
    let expected = json!({
        "version": 2, "id": 1, "name": "Fjord Services", "planFeatures": ["agentAI"],
        "unitsPerSecond": 1_000_000, "invitationsPerDay": 50, "webUrl": null,
        "createdAt": "2026-01-15T12:00:00.000Z", "updatedAt": "2026-01-15T12:00:01.000Z",
    });
    assert_eq!(organization, expected);
    assert_eq!(ada.reads("/api/organizations/1").await, organization);
    let session = ada.reads("/api/auth/session").await;
    assert_eq!(session["organization"]["name"], "Fjord Services");
    for (query, expected) in [("fjord", vec![1]), ("halden", vec![])] {
        let path =
            format!("/api/managed-services/search-references?type=organization&query={query}");
        assert_eq!(ada.get(&path).await.ids(), expected, "{query}");
    }
}

#[tokio::test]
async fn admins_set_the_address_of_the_desk_and_take_it_back() {
    let (_, [ada]) = Api::signed_in(["ada"]).await;
    for url in [json!("https://desk.example.com/halden"), json!(null)] {
        let changed = patches!(ada, "/api/organizations/1", {"webUrl": url});
        shows!(changed, {"webUrl": url, "name": "Halden Services"});
    }
    let wrong = json!({"webUrl": "javascript:alert(1)"});
    refused!(ada.patch("/api/organizations/1", wrong).await => [("/webUrl", "pattern")]);
}

/// Links of mails lead to the desk's address: whoever finds a token does not choose it.
#[tokio::test]
async fn a_token_leads_no_link_to_another_host() {
    let (api, [ada]) = Api::with_users(["ada"]).await;
    let manages = json!({"permissions": ["manage_organization"]});
    let token = api.token_of(&ada, manages).await;
    let path = "/api/organizations/1";
    let evil = json!({"webUrl": "https://evil.example", "name": "Halden"});
    refused!(token.patch(path, evil).await => 403, "session_required");
    let renamed = token
        .patches(path, json!({"name": "Fjord"}))
        .await;
    shows!(renamed, {"name": "Fjord", "webUrl": null});
}
