//! `PATCH /api/organizations/{id}`

use serde_json::json;
use tests::support::{Api, patches, refused, shows, snapshot};

#[tokio::test]
async fn a_renamed_organization_is_called_and_found_so_everywhere() {
    let (api, [ada]) = Api::signed_in(["ada"]).await;
    api.clock.advance(1_000);
    let organization = patches!(ada, "/api/organizations/1", {
        "name": "Fjord Services", "planFeatures": [], "id": 1,
    });
    snapshot!(organization, @r#"
    {
      "createdAt": "2026-01-15T12:00:00.000Z",
      "id": 1,
      "invitationsPerDay": 50,
      "name": "Fjord Services",
      "planFeatures": ["agentAI"],
      "unitsPerSecond": 1000000,
      "updatedAt": "2026-01-15T12:00:01.000Z",
      "version": 2,
      "webUrl": null
    }
    "#);
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
    let renamed = patches!(token, path, {"name": "Fjord"});
    shows!(renamed, {"name": "Fjord", "webUrl": null});
}
