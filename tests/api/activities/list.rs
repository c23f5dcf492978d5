//! `GET /api/activities`

use serde_json::json;

use crate::support::Api;

#[tokio::test]
async fn lists_come_newest_first_with_the_larger_id_before_the_smaller() {
    let api = Api::start().await;
    let mia = api.sign_in("mia").await;
    let zac = api.sign_in("zac").await;
    for (timestamp, project) in [
        ("2026-01-10T00:00:00Z", json!(1)),
        ("2026-01-12T00:00:00Z", json!(2)),
        ("2026-01-12T01:00:00+01:00", json!(1)),
        ("2026-01-11T00:00:00Z", json!(null)),
    ] {
        let more = json!({"timestamp": timestamp, "projectId": project});
        mia.records_activity(more).await;
    }
    zac.records_activity(json!({"projectId": 3})).await;
    assert_eq!(mia.get("/api/activities").await.ids(), [3, 2, 4, 1]);
    let organization = "/api/organizations/1/activities";
    assert_eq!(mia.get(organization).await.ids(), [3, 2, 4, 1]);
    assert_eq!(mia.get("/api/projects/1/activities").await.ids(), [3, 1]);
    assert_eq!(mia.get("/api/projects/2/activities").await.ids(), [2]);
    assert_eq!(zac.get("/api/activities").await.ids(), [5]);
}
