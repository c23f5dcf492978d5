//! `GET /api/health`

use serde_json::json;
use tests::support::Api;

#[tokio::test]
async fn a_monitor_reads_the_version_without_a_session_or_the_table() {
    let api = Api::start().await;
    let answer = api.anonymous().get("/api/health").await;
    assert_eq!(answer.header("cache-control"), Some("no-store"));
    let expected = json!({"status": "ok", "version": env!("CARGO_PKG_VERSION")});
    assert_eq!(answer.expect(200), expected);
    assert_eq!(api.counter.take().total, 0);
}
