//! `GET /api/organizations/{id}`

use serde_json::json;

use crate::support::Api;

#[tokio::test]
async fn everybody_reads_their_own_organization_and_no_other() {
    let api = Api::start().await;
    let vic = api.sign_in("vic").await;
    assert_eq!(
        vic.get("/api/organizations/1").await.expect(200),
        json!({
            "version": 1, "id": 1, "name": "Halden Services", "planFeatures": ["agentAI"],
            "createdAt": "2026-01-15T12:00:00.000Z", "updatedAt": "2026-01-15T12:00:00.000Z",
        })
    );
    for id in ["2", "99", "0", "abc"] {
        let answer = vic.get(&format!("/api/organizations/{id}")).await;
        answer.expect_problem(404, "not_found");
    }
}
