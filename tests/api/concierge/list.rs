//! `GET /api/concierge/agent-sessions`

use serde_json::json;
use shared::model::span;

use crate::support::Concierge;

const SESSIONS: &str = "/api/concierge/agent-sessions";

#[tokio::test]
async fn sessions_come_newest_first_and_are_filtered_by_what_they_are_now() {
    let world = Concierge::start().await;
    let first = world.failed_payment().await;
    world.api.clock.advance(span::SECOND);
    let second = world.failed_payment().await;
    world.proposed(&second).await;
    let list = world.max.get(SESSIONS).await;
    assert_eq!(
        list.expect(200)[1],
        json!({
            "version": 1, "id": first, "alertId": 1, "status": "started",
            "createdAt": "2026-01-15T12:00:00.000Z",
        })
    );
    let ids = |query: &str| {
        let path = format!("{SESSIONS}?{query}");
        let max = world.max.clone();
        async move { max.get(&path).await.ids() }
    };
    let (first, second) = (first.as_i64().unwrap(), second.as_i64().unwrap());
    assert_eq!(ids("").await, [second, first]);
    assert_eq!(ids("status=started").await, [first]);
    assert_eq!(
        ids("status=awaiting_confirmation,started").await,
        [second, first]
    );
    assert_eq!(ids("alertId=2").await, [second]);
    assert_eq!(ids("alertId=99").await, [0; 0]);
    // Nobody has swept yet.
    world.api.clock.advance(20 * span::HOUR);
    let max = world.api.sign_in("max").await;
    world.api.clock.advance(5 * span::HOUR);
    let expired = max.get(&format!("{SESSIONS}?status=expired")).await;
    assert_eq!(expired.ids(), [second]);
    let waiting = format!("{SESSIONS}?status=awaiting_confirmation");
    assert_eq!(max.get(&waiting).await.ids(), [0; 0]);
    let vic = world.api.sign_in("vic").await;
    vic.get(SESSIONS)
        .await
        .expect_problem(403, "permission_denied");
}
