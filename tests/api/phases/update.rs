//! `PATCH /api/phases/{id}`

use serde_json::json;

use tests::support::Api;

#[tokio::test]
async fn a_phase_is_renamed_and_moved() {
    let (api, [max]) = Api::signed_in(["max"]).await;
    let [phase, ..] = api.has_phases().await;
    let path = format!("/api/phases/{phase}");
    let renamed = max.patch(&path, json!({"title": "Test"})).await.expect(200);
    assert_eq!(
        renamed,
        json!({"version": 2, "id": phase, "projectId": 1, "title": "Test", "order": 1})
    );
    let moved = max.patch(&path, json!({"order": 9})).await.expect(200);
    assert_eq!(
        moved,
        json!({"version": 3, "id": phase, "projectId": 1, "title": "Test", "order": 9})
    );
}
