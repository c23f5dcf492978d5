//! `PATCH /api/organizations/{id}`

use serde_json::json;

use crate::support::Api;

#[tokio::test]
async fn a_renamed_organization_is_called_and_found_so_everywhere() {
    let api = Api::start().await;
    let ada = api.sign_in("ada").await;
    api.clock.advance(1_000);
    let body = json!({"name": "Fjord Services", "planFeatures": [], "id": 2});
    let organization = ada.patch("/api/organizations/1", body).await.expect(200);
    assert_eq!(
        organization,
        json!({
            "version": 2, "id": 1, "name": "Fjord Services", "planFeatures": ["agentAI"],
            "createdAt": "2026-01-15T12:00:00.000Z", "updatedAt": "2026-01-15T12:00:01.000Z",
        })
    );
    let session = ada.get("/api/auth/session").await.expect(200);
    assert_eq!(session["organization"]["name"], "Fjord Services");
    for (query, found) in [("fjord", vec![1]), ("halden", vec![])] {
        let path =
            format!("/api/managed-services/search-references?type=organization&query={query}");
        assert_eq!(ada.get(&path).await.ids(), found, "{query}");
    }
}

#[tokio::test]
async fn only_who_manages_the_organization_changes_it() {
    let api = Api::start().await;
    for name in ["vic", "mia", "sue", "max"] {
        let caller = api.sign_in(name).await;
        let answer = caller
            .patch("/api/organizations/1", json!({"name": "Mine"}))
            .await;
        answer.expect_problem(403, "permission_denied");
    }
    let zoe = api.sign_in("zoe").await;
    let answer = zoe
        .patch("/api/organizations/1", json!({"name": "Mine"}))
        .await;
    answer.expect_problem(404, "not_found");
    let vic = api.sign_in("vic").await;
    let organization = vic.get("/api/organizations/1").await.expect(200);
    assert_eq!(organization["name"], "Halden Services");
}

#[tokio::test]
async fn every_fault_of_a_change_is_answered() {
    let api = Api::start().await;
    let ada = api.sign_in("ada").await;
    let before = api.records().await;
    for (body, fault) in [
        (json!({}), ("", "required")),
        (json!({"planFeatures": []}), ("", "required")),
        (json!({"name": null}), ("/name", "null")),
        (json!({"name": " "}), ("/name", "blank")),
        (json!({"name": "x".repeat(256)}), ("/name", "length")),
    ] {
        let answer = ada.patch("/api/organizations/1", body).await;
        answer.expect_faults(&[fault]);
    }
    assert_eq!(before, api.records().await);
}
