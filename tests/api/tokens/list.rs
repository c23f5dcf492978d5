//! `GET /api/tokens`

use serde_json::json;
use shared::model::span;

use tests::support::Api;

#[tokio::test]
async fn a_user_sees_their_own_tokens_alone() {
    let (_, [mia, ada]) = Api::signed_in(["mia", "ada"]).await;
    let first = mia.creates("/api/tokens", json!({"name": "export"})).await;
    let second = mia.creates("/api/tokens", json!({"name": "import"})).await;
    ada.creates("/api/tokens", json!({"name": "alerts"})).await;
    let answer = mia.get("/api/tokens").await;
    assert_eq!(answer.ids(), [first, second]);
    let expected = json!({
        "version": 1, "id": first, "name": "export", "permissions": null, "lastUsedAt": null,
        "createdAt": "2026-01-15T12:00:00.000Z", "expiresAt": "2027-01-15T12:00:00.000Z",
    });
    assert_eq!(answer.expect(200)[0], expected);
}

#[tokio::test]
async fn what_has_ended_is_not_listed() {
    let (api, [mia]) = Api::signed_in(["mia"]).await;
    let soon = json!({"name": "soon", "expiresAt": "2026-01-15T13:00:00Z"});
    let soon = mia.creates("/api/tokens", soon).await;
    let later = mia.creates("/api/tokens", json!({"name": "later"})).await;
    assert_eq!(mia.get("/api/tokens").await.ids(), [soon, later]);
    api.clock.advance(span::HOUR);
    assert_eq!(mia.get("/api/tokens").await.ids(), [later]);
    let user = api.user("mia").await;
    let directory = api.store.directory();
    let change = directory.change_password(api.home.id, &user, "".into());
    change.await.unwrap();
    let account = api.store.sign_in().account("mia").await.unwrap().unwrap();
    let user = api.store.sign_in().user(&account).await.unwrap().unwrap();
    let mia = api.session_of(&user).await;
    assert_eq!(mia.get("/api/tokens").await.ids(), [0_i64; 0]);
}

#[tokio::test]
async fn the_last_use_is_kept_to_the_day_by_one_write_a_day() {
    let api = Api::start().await;
    let user = api.user("mia").await;
    let mia = api.session_of(&user).await;
    let script = api.token_of(&user, json!({})).await;
    let last_used = async || {
        let tokens = mia.get("/api/tokens").await.expect(200);
        api.counter.take();
        tokens[0]["lastUsedAt"].clone()
    };
    let requests = async || {
        script.get("/api/auth/session").await.expect(200);
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

#[tokio::test]
async fn tokens_come_in_pages_whatever_is_created_and_deleted_meanwhile() {
    let (api, [mia]) = Api::signed_in(["mia"]).await;
    let mut ids = Vec::new();
    for _ in 0..5 {
        ids.push(mia.creates("/api/tokens", json!({"name": "export"})).await);
    }
    let first = mia.get("/api/tokens?limit=2").await;
    assert_eq!(first.ids(), ids[..2]);
    let path = format!("/api/tokens/{}", ids[1]);
    mia.delete(&path).await.expect(204);
    ids.push(mia.creates("/api/tokens", json!({"name": "import"})).await);
    let rest = mia.walk(first.next().unwrap()).await;
    let rest: Vec<_> = rest.iter().map(|row| row["id"].as_i64().unwrap()).collect();
    assert_eq!(rest, ids[2..]);
    let last = mia.get("/api/tokens?limit=5").await;
    assert_eq!((last.ids().len(), last.next()), (5, None));
    let max = api.sign_in("max").await;
    let answer = max.get(first.next().unwrap()).await;
    answer.expect_faults(&[("?cursor", "unknown")]);
}
