//! `GET /api/tags`

use serde_json::json;
use tests::support::Api;

#[tokio::test]
async fn tags_come_by_name_without_those_of_others() {
    let api = Api::start().await;
    api.has_tag(api.abroad.id, "theirs")
        .await;
    let max = api.sign_in("max").await;
    for name in ["urgent", "Billing", "urgent care", "late"] {
        max.creates("/api/tags", json!({"name": name}))
            .await;
    }
    let vic = api.sign_in("vic").await;
    let expected = json!([
        {"id": 3, "name": "Billing", "version": 1}, {"id": 5, "name": "late", "version": 1},
        {"id": 2, "name": "urgent", "version": 1}, {"id": 4, "name": "urgent care", "version": 1},
    ]);
    assert_eq!(vic.reads("/api/tags").await, expected);
    assert_eq!(
        json!(
            vic.walk("/api/tags?limit=1&sort=name")
                .await
        ),
        expected
    );
    max.patches("/api/tags/3", json!({"name": "xerox"}))
        .await;
    max.deletes("/api/tags/5").await;
    assert_eq!(vic.get("/api/tags").await.ids(), [2, 4, 3]);
}
