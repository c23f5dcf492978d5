//! `PATCH /api/organizations/{id}`

use serde_json::json;

use tests::support::Api;

#[tokio::test]
async fn a_renamed_organization_is_called_and_found_so_everywhere() {
    let api = Api::start().await;
    let ada = api.sign_in("ada").await;
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
            "unitsPerSecond": 1_000_000,
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
