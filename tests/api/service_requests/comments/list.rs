//! `GET /api/service-requests/{serviceRequestId}/comments`

use serde_json::json;
use tests::support::{Api, posts};

use crate::service_requests::comments;

#[tokio::test]
async fn comments_are_a_flat_list_oldest_first() {
    let (api, [mia]) = Api::signed_in(["mia"]).await;
    let request = mia.raises_request().await;
    assert_eq!(mia.get(&comments(request)).await.ids(), [0; 0]);
    mia.comments_on_request(request, "First")
        .await;
    mia.comments_on_request(request, "At the same time")
        .await;
    api.clock.advance(-1_000);
    let reply = json!({"content": "By a clock that is behind", "parentId": 1});
    mia.posts(&comments(request), reply)
        .await;
    api.clock.advance(2_000);
    posts!(mia, &comments(request), {"content": "To a reply", "parentId": 3});
    assert_eq!(mia.get(&comments(request)).await.ids(), [3, 1, 2, 4]);
}
