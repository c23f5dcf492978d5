//! `GET /api/tags`

use tests::support::{Api, creates, patches, snapshot};

#[tokio::test]
async fn tags_come_by_name_without_those_of_others() {
    let api = Api::start().await;
    api.has_tag(api.abroad.id, "theirs")
        .await;
    let max = api.sign_in("max").await;
    for name in ["urgent", "Billing", "urgent care", "late"] {
        creates!(max, "/api/tags", {"name": name});
    }
    let vic = api.sign_in("vic").await;
    let tags = vic.walk("/api/tags").await;
    snapshot!(tags, @r#"
    [
      {"id": 3, "name": "Billing", "version": 1},
      {"id": 5, "name": "late", "version": 1},
      {"id": 2, "name": "urgent", "version": 1},
      {"id": 4, "name": "urgent care", "version": 1}
    ]
    "#);
    assert_eq!(
        vic.walk("/api/tags?limit=1&sort=name")
            .await,
        tags
    );
    patches!(max, "/api/tags/3", {"name": "xerox"});
    max.deletes("/api/tags/5").await;
    assert_eq!(vic.get("/api/tags").await.ids(), [2, 4, 3]);
}
