//! `PATCH /api/organizations/{id}`

use serde_json::{Value, json};

use tests::support::{Api, shows};

#[tokio::test]
async fn a_renamed_organization_is_called_and_found_so_everywhere() {
    let (api, [ada]) = Api::signed_in(["ada"]).await;
    api.clock.advance(1_000);
    let other = json!({"name": "Fjord Services", "id": 2});
    let refused = ada.patch("/api/organizations/1", other).await;
    refused.expect_faults(&[("/id", "unchangeable")]);
    let body = json!({"name": "Fjord Services", "planFeatures": [], "id": 1});
    let organization = ada.patch("/api/organizations/1", body).await.expect(200);
    assert_eq!(
        organization,
        json!({
            "version": 2, "id": 1, "name": "Fjord Services", "planFeatures": ["agentAI"],
            "unitsPerSecond": 1_000_000, "invitationsPerDay": 50, "webUrl": null,
            "createdAt": "2026-01-15T12:00:00.000Z", "updatedAt": "2026-01-15T12:00:01.000Z",
        })
    );
    let read = ada.get("/api/organizations/1").await.expect(200);
    assert_eq!(read, organization);
    let session = ada.get("/api/auth/session").await.expect(200);
    assert_eq!(session["organization"]["name"], "Fjord Services");
    for (query, found) in [("fjord", vec![1]), ("halden", vec![])] {
        let path =
            format!("/api/managed-services/search-references?type=organization&query={query}");
        assert_eq!(ada.get(&path).await.ids(), found, "{query}");
    }
}

#[tokio::test]
async fn admins_set_the_address_of_the_desk_and_take_it_back() {
    let (api, [ada]) = Api::signed_in(["ada"]).await;
    let set = async |url: Value| {
        ada.patch("/api/organizations/1", json!({"webUrl": url}))
            .await
    };
    for url in [
        json!("https://desk.example.com/halden"),
        json!("http://localhost:3000"),
        json!(null),
    ] {
        let changed = set(url.clone()).await.expect(200);
        shows!(changed, {"webUrl": url, "name": "Halden Services"});
    }
    for (url, code) in [
        (json!("http://desk.example.com"), "pattern"),
        (json!("javascript:alert(1)"), "pattern"),
        (json!("https://desk.example.com/?a"), "pattern"),
        (
            json!(format!("https://{}.example", "a.".repeat(100))),
            "length",
        ),
        (json!(7), "type"),
    ] {
        set(url).await.expect_faults(&[("/webUrl", code)]);
    }
    let max = api.sign_in("max").await;
    let other = json!({"webUrl": "https://else.example"});
    let refused = max.patch("/api/organizations/1", other).await;
    refused.expect_problem(403, "permission_denied");
}
