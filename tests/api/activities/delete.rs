//! `DELETE /api/activities/{id}`

use serde_json::json;
use tests::support::Api;

#[tokio::test]
async fn recorders_delete_their_own_activity_and_managers_any() {
    let (api, [mia, sue, max]) = Api::signed_in(["mia", "sue", "max"]).await;
    for one_who_may in [&mia, &max] {
        let id = mia
            .records_activity(json!({"projectId": 1}))
            .await;
        let path = format!("/api/activities/{id}");
        let before = api.records().await;
        sue.delete(&path).await.expect_denied();
        assert_eq!(before, api.records().await);
        one_who_may.deletes(&path).await;
        one_who_may
            .delete(&path)
            .await
            .expect_not_found();
    }
    for list in ["", "projects/1/", "organizations/1/"] {
        let list = format!("/api/{list}activities");
        assert_eq!(mia.get(&list).await.ids(), [0; 0], "{list}");
    }
}
