//! `/api` and `/api/docs`

mod file;
mod page;
mod security_txt;

use tests::support::Api;

#[tokio::test]
async fn the_api_itself_leads_to_its_reference() {
    let api = Api::start().await;
    for path in ["/api", "/api/"] {
        let answer = api.anonymous().get(path).await;
        assert_eq!(answer.status, 308, "{path}");
        assert_eq!(answer.header("location"), Some("/api/docs"), "{path}");
    }
}
