//! `GET /api/managed-services/tickets`

use tests::support::{Api, Caller, creates, ids, patches, posts};

const LIST: &str = "/api/managed-services/tickets";

/// Tickets 1 to 5, a minute apart.
async fn five_tickets(api: &Api, sue: &Caller) {
    for number in 1..=5 {
        creates!(sue, LIST, {
            "title": format!("Ticket {number}"),
            "priority": if number % 2 == 1 { "high" } else { "low" },
            "assigneeId": (number >= 4).then(|| sue.id()),
        });
        api.clock.advance(60_000);
    }
    patches!(sue, "/api/managed-services/ticket/1", {"status": "closed"});
}

#[tokio::test]
async fn tickets_come_newest_first_and_are_filtered() {
    let (api, [sue]) = Api::signed_in(["sue"]).await;
    five_tickets(&api, &sue).await;
    for (query, expected) in [
        ("", vec![5, 4, 3, 2, 1]),
        ("sort=createdAt", vec![1, 2, 3, 4, 5]),
        ("priority=high", vec![5, 3, 1]),
        ("status=closed", vec![1]),
        ("status=open,pending&priority=high", vec![5, 3]),
        ("assigneeId=me", vec![5, 4]),
        ("assigneeId=none", vec![3, 2, 1]),
        ("assigneeId=me,none&priority=low", vec![4, 2]),
        ("updatedSince=2026-01-15T12:04:00Z", vec![5, 1]),
    ] {
        let rows = sue
            .walk(&format!("{LIST}?{query}&limit=2"))
            .await;
        assert_eq!(ids(&rows), expected, "{query}");
    }
    let rows = sue.reads(LIST).await;
    let read = sue
        .reads("/api/managed-services/ticket/5")
        .await;
    assert_eq!(rows[0], read["ticket"]);
    assert_eq!(
        api.sign_in("zoe")
            .await
            .get(LIST)
            .await
            .ids(),
        [0; 0]
    );
}

#[tokio::test]
async fn tickets_come_by_their_newest_message() {
    let (api, [sue]) = Api::signed_in(["sue"]).await;
    five_tickets(&api, &sue).await;
    for id in [4, 2] {
        posts!(sue, "/api/managed-services/ticket/{id}/reply", {"content": "Soon."});
        api.clock.advance(60_000);
    }
    // Those without a message come last, by id.
    for limit in [1, 2, 100] {
        let path = format!("{LIST}?sort=-lastMessageAt&limit={limit}");
        assert_eq!(ids(&sue.walk(&path).await), [2, 4, 5, 3, 1], "{limit}");
    }
    let high = format!("{LIST}?sort=-lastMessageAt&priority=low");
    assert_eq!(ids(&sue.walk(&high).await), [2, 4]);
}

#[tokio::test]
async fn tickets_are_filtered_by_their_creator() {
    let (_, [sue, mia]) = Api::signed_in(["sue", "mia"]).await;
    creates!(sue, LIST, {"title": "By sue"});
    creates!(mia, LIST, {"title": "By mia"});
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
