//! Time to live: the table drops records that have ended for every caller, and no others.

use std::collections::BTreeMap;

use serde_json::json;
use shared::model::base::span;
use tests::support::{World, posts, text_of};

/// Seconds from now until the table may drop it. Nothing is dropped within the second in which it
/// ends.
const LEFT: [(&str, i64); 11] = [
    ("attempted", 24 * span::HOUR / span::SECOND + 1),
    ("excerpt", 90 * span::DAY / span::SECOND + 1),
    // It is sent by then, or has failed.
    ("mail", 7 * span::DAY / span::SECOND + 1),
    // Links for a forgotten password, and the count of these mails.
    ("link", span::HOUR / span::SECOND + 1),
    ("mail_count", span::HOUR / span::SECOND + 1),
    ("session", 7 * span::DAY / span::SECOND),
    // From the beginning of the day on, at noon of which it is written.
    (
        "alert_day",
        (102 * span::DAY - 12 * span::HOUR) / span::SECOND,
    ),
    // From the beginning of the quarter of an hour on.
    (
        "sign_in_count",
        (span::DAY + 15 * span::MINUTE) / span::SECOND + 1,
    ),
    ("sign_in_failures", 15 * span::MINUTE / span::SECOND + 1),
    ("token", span::HOUR / span::SECOND + 1),
    ("token_holder", span::HOUR / span::SECOND + 1),
];

#[tokio::test]
async fn the_table_drops_what_has_ended_and_nothing_else() {
    let world = World::start().await;
    let api = world.api();
    api.has_verified(&world.max, "max@example.com")
        .await;
    // What the world has of these is of another age.
    let before = api.items().await;
    let max = api.sign_in("max").await;
    posts!(max, "/api/tokens", {"name": "soon", "expiresAt": "2026-01-15T13:00:00Z"});
    let attempt = max
        .clone()
        .with_header("idempotency-key", "once");
    attempt
        .creates_milestone(json!({}))
        .await;
    let wrong = json!({"username": "vic", "password": "a wrong one"});
    let nobody = api.anonymous().at("198.51.100.9");
    nobody
        .post("/api/auth/login", wrong)
        .await
        .expect(401);
    posts!(nobody, "/api/auth/forgot", {"username": "max"});

    let concierge = &world.concierge;
    concierge
        .alert("payment_declined", &[])
        .await;
    concierge
        .proposed(&concierge.stuck_batch().await)
        .await;

    let now = api.clock.now().epoch_seconds();
    let mut left = BTreeMap::new();
    for item in api.items().await {
        let kind = text_of(&item, "kind").to_owned();
        let Some(at) = item.get("expiresAt") else {
            assert!(
                LEFT.iter()
                    .all(|(ends, _)| *ends != kind),
                "{item:?}"
            );
            continue;
        };
        let seconds: i64 = at.as_n().unwrap().parse().unwrap();
        assert!(seconds > now, "{item:?}");
        if !before.contains(&item) {
            left.insert(kind, seconds - now);
        }
    }
    let expected = LEFT.map(|(kind, seconds)| (kind.to_owned(), seconds));
    assert_eq!(left, BTreeMap::from(expected));
}
