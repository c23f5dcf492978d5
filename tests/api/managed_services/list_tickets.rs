//! `GET /api/managed-services/tickets`

use serde_json::{Value, json};

use tests::support::{Api, Caller};

const LIST: &str = "/api/managed-services/tickets";

/// Tickets 1 to 5, a minute apart.
async fn five_tickets(api: &Api, sue: &Caller) {
    for number in 1..=5 {
        let ticket = json!({
            "title": format!("Ticket {number}"),
            "priority": if number % 2 == 1 { "high" } else { "low" },
            "assigneeId": (number >= 4).then(|| sue.id()),
        });
        sue.creates(LIST, ticket).await;
        api.clock.advance(60_000);
    }
    let path = "/api/managed-services/ticket/1";
    let closed = json!({"status": "closed"});
    sue.patch(path, closed).await.expect(200);
}

fn ids(rows: &[Value]) -> Vec<i64> {
    rows.iter().map(|row| row["id"].as_i64().unwrap()).collect()
}

#[tokio::test]
async fn tickets_come_newest_first_page_by_page() {
    let (api, [sue, vic]) = Api::signed_in(["sue", "vic"]).await;
    five_tickets(&api, &sue).await;
    for (query, expected) in [
        ("", vec![5, 4, 3, 2, 1]),
        ("?limit=2", vec![5, 4, 3, 2, 1]),
        ("?sort=createdAt&limit=2", vec![1, 2, 3, 4, 5]),
        ("?priority=high&limit=1", vec![5, 3, 1]),
    ] {
        let rows = vic.walk(&format!("{LIST}{query}")).await;
        assert_eq!(ids(&rows), expected, "{query}");
    }
    let rows = vic.get(LIST).await.expect(200);
    let read = vic.get("/api/managed-services/ticket/5").await.expect(200);
    assert_eq!(rows[0], read["ticket"]);
    let zoe = api.sign_in("zoe").await;
    assert_eq!(zoe.get(LIST).await.ids(), [0; 0]);
}

#[tokio::test]
async fn every_filter_keeps_what_fits() {
    let (api, [sue]) = Api::signed_in(["sue"]).await;
    five_tickets(&api, &sue).await;
    for (query, expected) in [
        ("status=closed", vec![1]),
        ("status=open,pending&priority=high", vec![5, 3]),
        ("assigneeId=me", vec![5, 4]),
        ("assigneeId=none", vec![3, 2, 1]),
        ("assigneeId=me,none&priority=low", vec![4, 2]),
        ("updatedSince=2026-01-15T12:04:00Z", vec![5, 1]),
    ] {
        let answer = sue.get(&format!("{LIST}?{query}")).await;
        assert_eq!(answer.ids(), expected, "{query}");
    }
}

#[tokio::test]
async fn tickets_come_by_their_newest_message() {
    let (api, [sue]) = Api::signed_in(["sue"]).await;
    five_tickets(&api, &sue).await;
    for id in [4, 2] {
        let path = format!("/api/managed-services/ticket/{id}/reply");
        sue.post(&path, json!({"content": "Soon."}))
            .await
            .expect(200);
        api.clock.advance(60_000);
    }
    // Those without a message come last, by id.
    for limit in [1, 2, 100] {
        let path = format!("{LIST}?sort=-lastMessageAt&limit={limit}");
        assert_eq!(ids(&sue.walk(&path).await), [2, 4, 5, 3, 1], "{limit}");
    }
    let high = format!("{LIST}?sort=-lastMessageAt&priority=low");
    assert_eq!(ids(&sue.walk(&high).await), [2, 4]);
    let wrong = sue.get(&format!("{LIST}?sort=lastMessageAt")).await;
    wrong.expect_faults(&[("?sort", "value")]);
}

#[tokio::test]
async fn tickets_are_filtered_by_their_creator() {
    let (_, [sue, mia]) = Api::signed_in(["sue", "mia"]).await;
    sue.creates(LIST, json!({"title": "By sue"})).await;
    mia.creates(LIST, json!({"title": "By mia"})).await;
    for (caller, filter, expected) in [
        (&mia, "me".to_owned(), vec![2]),
        (&sue, "me".to_owned(), vec![1]),
        (&sue, mia.id().to_string(), vec![2]),
        (&sue, "none".to_owned(), vec![]),
        (&sue, format!("me,{}", mia.id()), vec![2, 1]),
    ] {
        let path = format!("{LIST}?creatorId={filter}");
        assert_eq!(ids(&caller.walk(&path).await), expected, "{filter}");
    }
}
