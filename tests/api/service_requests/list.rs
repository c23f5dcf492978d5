//! `GET /api/service-requests`

use serde_json::{Value, json};
use tests::support::{Api, Caller, creates, ids};

use crate::managed_services::REQUEST;

const LIST: &str = "/api/service-requests";

/// Requests 1 to 6, a minute apart; the odd ones are mia's, the even ones sue's.
async fn six_requests(api: &Api, mia: &Caller, sue: &Caller) {
    for number in 1..=6 {
        let creator = if number % 2 == 1 { mia } else { sue };
        creates!(creator, REQUEST, {
            "title": format!("Request {number}"),
            "priority": if number <= 2 { "urgent" } else { "low" },
            "category": match number { 1 => Value::Null, 2 => json!("a b"), _ => json!("billing") },
        });
        api.clock.advance(60_000);
    }
    for (id, change) in [
        (1, json!({"status": "resolved"})),
        (2, json!({"assigneeId": sue.id()})),
        (3, json!({"assigneeId": mia.id(), "status": "pending"})),
    ] {
        sue.patches(&format!("{LIST}/{id}"), change)
            .await;
    }
}

#[tokio::test]
async fn requests_come_newest_first_and_are_filtered() {
    let (api, [mia, sue]) = Api::signed_in(["mia", "sue"]).await;
    assert_eq!(mia.get(LIST).await.ids(), [0; 0]);
    six_requests(&api, &mia, &sue).await;
    for (query, expected) in [
        ("", vec![6, 5, 4, 3, 2, 1]),
        ("sort=-createdAt", vec![6, 5, 4, 3, 2, 1]),
        ("sort=createdAt", vec![1, 2, 3, 4, 5, 6]),
        ("category=billing", vec![6, 5, 4, 3]),
        ("status=open", vec![6, 5, 4, 2]),
        ("status=pending,resolved", vec![3, 1]),
        ("priority=urgent", vec![2, 1]),
        ("priority=urgent&status=open", vec![2]),
        ("category=none", vec![1]),
        ("category=a%20b,none", vec![2, 1]),
        ("assigneeId=me", vec![3]),
        ("assigneeId=none&status=open", vec![6, 5, 4]),
        (&format!("assigneeId={},me", sue.id()), vec![3, 2]),
        ("creatorId=me", vec![5, 3, 1]),
        (&format!("creatorId={}", sue.id()), vec![6, 4, 2]),
        ("creatorId=99", vec![]),
        // All three that were changed were changed at the end.
        ("updatedSince=2026-01-15T12:06:00Z", vec![3, 2, 1]),
        ("updatedSince=2026-01-15T12:06:00.001Z", vec![]),
    ] {
        let rows = mia
            .walk(&format!("{LIST}?{query}&limit=2"))
            .await;
        assert_eq!(ids(&rows), expected, "{query}");
    }
    let rows = mia.reads(LIST).await;
    assert_eq!(rows[5], mia.reads(&format!("{LIST}/1")).await);
    let whole = mia
        .get(&format!("{LIST}?limit=6"))
        .await;
    assert_eq!((whole.ids().len(), whole.next()), (6, None));
    assert_eq!(
        api.sign_in("zoe")
            .await
            .get(LIST)
            .await
            .ids(),
        [0; 0]
    );
}
