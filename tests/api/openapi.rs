//! `GET /api/openapi.json`, and the second request of a client for it or for the desk

use serde_json::Value;
use tests::support::Api;

#[tokio::test]
async fn the_description_is_served_to_anybody() {
    let api = Api::start().await;
    let answer = api
        .anonymous()
        .get("/api/openapi.json")
        .await;
    let document: Value = serde_json::from_str(&answer.text).unwrap();
    assert_eq!(document["openapi"], "3.1.0");
    assert_eq!(answer.header("content-type"), Some("application/json"));
}

#[tokio::test]
async fn a_client_that_has_the_description_or_the_desk_gets_no_second_one() {
    let api = Api::start().await;
    let nobody = api.anonymous();
    for path in ["/api/openapi.json", "/"] {
        let answer = nobody.get(path).await;
        assert_eq!(answer.header("cache-control"), Some("no-cache"), "{path}");
        let tag = answer.header("etag").unwrap();
        for if_none_match in [tag, &format!("\"else\", W/{tag}"), "*"] {
            let knowing = nobody
                .clone()
                .with_header("if-none-match", if_none_match);
            let answer = knowing.get(path).await;
            assert_eq!(
                (answer.status, &*answer.text),
                (304, ""),
                "{path}: {if_none_match}"
            );
            assert_eq!(answer.header("etag"), Some(tag), "{path}: {if_none_match}");
        }
        let stale = nobody
            .clone()
            .with_header("if-none-match", "\"else\"");
        assert_eq!(stale.get(path).await.status, 200, "{path}");
    }
}
