//! `GET /api/activities/{id}`

use serde_json::json;
use tests::support::{Api, snapshot};

#[tokio::test]
async fn an_activity_keeps_every_field_and_reads_with_creator_and_project() {
    let (api, [mia]) = Api::signed_in(["mia"]).await;
    let sent = json!({
        "timestamp": "2026-01-14T09:00:00.1239+01:00", "type": "status_change",
        "subtype": "go_live_2", "description": "Switched over", "projectId": 1,
        "metadata": {"ratio": 1e300, "n": 9_007_199_254_740_993_i64, "": null, "deep": {"a": {"b": {"c": []}}}},
        "evidence": {"links": ["https://example.org"]}, "creatorId": 99, "id": 7,
    });
    let created = mia
        .posts("/api/activities", sent.clone())
        .await;
    snapshot!(created, @r#"
    {
      "createdAt": "2026-01-15T12:00:00.000Z",
      "creatorId": 1,
      "description": "Switched over",
      "evidence": {"links": ["https://example.org"]},
      "id": 1,
      "metadata": {
        "": null,
        "deep": {"a": {"b": {"c": []}}},
        "n": 9007199254740993,
        "ratio": 1e+300
      },
      "organizationId": 1,
      "projectId": 1,
      "subtype": "go_live_2",
      "tags": [],
      "timestamp": "2026-01-14T08:00:00.123Z",
      "type": "status_change",
      "updatedAt": "2026-01-15T12:00:00.000Z",
      "version": 1
    }
    "#);
    assert_eq!(created["metadata"], sent["metadata"]);
    let mut expected = created;
    expected["creator"] = json!({"id": mia.id(), "username": "mia", "fullName": "Mia Tester"});
    expected["project"] = json!({"id": 1, "title": "Billing migration"});
    let vic = api.sign_in("vic").await;
    assert_eq!(vic.reads("/api/activities/1").await, expected);
    for path in [
        "/api/activities",
        "/api/projects/1/activities",
        "/api/organizations/1/activities",
    ] {
        assert_eq!(vic.reads(path).await, json!([expected]));
    }
}
