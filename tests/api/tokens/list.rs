//! `GET /api/tokens`

use serde_json::json;
use shared::model::base::span;
use tests::support::{Api, creates, snapshot};

#[tokio::test]
async fn a_user_sees_their_own_tokens_until_they_end() {
    let (api, [mia, ada]) = Api::signed_in(["mia", "ada"]).await;
    let soon = creates!(mia, "/api/tokens", {"name": "soon", "expiresAt": "2026-01-15T13:00:00Z"});
    let later = creates!(mia, "/api/tokens", {"name": "later"});
    creates!(ada, "/api/tokens", {"name": "alerts"});
    let answer = mia.get("/api/tokens").await;
    assert_eq!(answer.ids(), [soon, later]);
    snapshot!(answer.expect(200)[1], @r#"
    {
      "createdAt": "2026-01-15T12:00:00.000Z",
      "expiresAt": "2027-01-15T12:00:00.000Z",
      "id": 2,
      "lastUsedAt": null,
      "name": "later",
      "permissions": null,
      "version": 1
    }
    "#);
    api.clock.advance(span::HOUR);
    assert_eq!(mia.get("/api/tokens").await.ids(), [later]);
    let user = api.user("mia").await;
    let directory = api.store.directory();
    let change = directory.change_password(api.home.id, &user, "".into());
    change.await.unwrap();
    let user = api.account("mia").await;
    let mia = api.session_of(&user).await;
    assert_eq!(mia.get("/api/tokens").await.ids(), [0_i64; 0]);
}

#[tokio::test]
async fn the_last_use_is_kept_to_the_day_by_one_write_a_day() {
    let (api, [user]) = Api::with_users(["mia"]).await;
    let mia = api.session_of(&user).await;
    let script = api.token_of(&user, json!({})).await;
    let last_used = async || {
        let tokens = mia.reads("/api/tokens").await;
        api.counter.take();
        tokens[0]["lastUsedAt"].clone()
    };
    let requests = async || {
        script.reads("/api/auth/session").await;
        api.counter.take().total
    };
    assert_eq!(last_used().await, json!(null));
    assert_eq!(requests().await, 3);
    assert_eq!(requests().await, 2);
    assert_eq!(last_used().await, "2026-01-15T00:00:00.000Z");
    api.clock.advance(12 * span::HOUR - 1);
    assert_eq!(requests().await, 2);
    api.clock.advance(1);
    assert_eq!(requests().await, 3);
    assert_eq!(requests().await, 2);
    assert_eq!(last_used().await, "2026-01-16T00:00:00.000Z");
}
