//! `DELETE /api/service-requests/{serviceRequestId}/comments/{commentId}`

use tests::support::{Api, statuses};

use crate::service_requests::comments;

#[tokio::test]
async fn one_of_two_deletes_at_once_succeeds() {
    let (_, [mia]) = Api::signed_in(["mia"]).await;
    let request = mia.raises_request().await;
    mia.comments_on_request(request, "Mine")
        .await;
    let path = format!("{}/1", comments(request));
    let answers = futures::future::join_all([mia.delete(&path), mia.delete(&path)]).await;
    assert_eq!(statuses(&answers), [204, 404]);
}
