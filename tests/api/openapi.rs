//! `GET /api/openapi.json`

use tests::support::Api;

#[tokio::test]
async fn the_description_is_served_to_anybody() {
    let api = Api::start().await;
    let answer = api.anonymous().get("/api/openapi.json").await;
    assert_eq!(answer.expect(200)["openapi"], "3.1.0");
    assert_eq!(answer.header("content-type"), Some("application/json"));
}
