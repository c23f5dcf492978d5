//! `POST /api/concierge/agent-sessions/{id}/propose`

use std::sync::Arc;

use serde_json::json;
use shared::{Error, model::base::span};
use tests::{
    records,
    support::{AgentSettings, Concierge, shows, snapshot},
};

#[tokio::test]
async fn a_stuck_batch_gets_an_analysis_and_actions() {
    let world = Concierge::start().await;
    let id = world.stuck_batch().await;
    let sue = world.api.sign_in("sue").await;
    let path = format!("/api/concierge/agent-sessions/{id}/propose?detail=full");
    let body = sue.triggers(&path).await;
    snapshot!(body);
    let session = &body["session"];
    let read = sue
        .reads(&format!("/api/concierge/agent-sessions/{id}?detail=full"))
        .await;
    shows!(read, {"analysis": session["analysis"], "reads": session["reads"]});
    assert_eq!(read["proposedActions"], session["proposedActions"]);
}

#[tokio::test]
async fn many_alerts_of_a_class_are_a_pattern() {
    let world = Concierge::start().await;
    let alerts = world.api.store.alerts();
    let home = world.api.home.id;
    let since = world
        .api
        .clock
        .now()
        .plus(-60 * span::DAY);
    alerts
        .recorded_since(home, since)
        .await
        .unwrap();
    let class = "usage_batch_stuck";
    let abroad = world.api.abroad.id;
    for batch in ["ub_1", "ub_2", "ub_3"] {
        world
            .alert(class, &[("usage_batch", batch)])
            .await;
        world.api.clock.advance(60_000);
    }
    // Neither another class nor another organization counts.
    world.alert("payment_failed", &[]).await;
    world.alert_in(abroad, class, &[]).await;
    let id = world.stuck_batch().await;
    world.proposed(&id).await;
    let analysis = &world.session(&id).await["analysis"];
    let text = "3 in the last 24 hours; none before. A systemic cause is likely.";
    shows!(analysis, {"isAnomalyPattern": true, "patternDescription": text});
    let pattern = &analysis["pattern"];
    shows!(pattern, {"shared": [], "recurrence": null});
    shows!(pattern["windows"][1], {"hours": 24, "count": 3, "baseline": 0, "fires": true});
}

/// Alerts are counted in one item a day, so that no page of a list bounds their number.
#[tokio::test]
async fn no_window_is_cut_however_many_alerts_there_are() {
    let world = Concierge::start().await;
    let alerts = world.api.store.alerts();
    let home = world.api.home.id;
    let start = world.api.clock.now();
    let since = start.plus(-60 * span::DAY);
    alerts
        .recorded_since(home, since)
        .await
        .unwrap();
    // Eight an hour for forty hours, each of another batch, some of them told twice.
    let new: Vec<_> = (0..320_i64)
        .map(|number| {
            let more = json!({
                "externalId": format!("x{number}"),
                "entities": [{"type": "usage_batch", "id": format!("many_{number}")}],
            });
            let at = start.plus(-number * span::HOUR / 8);
            records::alert_with("usage_batch_stuck", at, &more)
        })
        .collect();
    alerts
        .record_all(home, &new)
        .await
        .unwrap();
    alerts
        .record_all(home, &new[..40])
        .await
        .unwrap();
    let id = world.stuck_batch().await;
    world.proposed(&id).await;
    let analysis = &world.session(&id).await["analysis"];
    let counts = analysis["pattern"]["windows"]
        .as_array()
        .unwrap()
        .iter();
    let counts: Vec<_> = counts
        .map(|window| window["count"].as_i64().unwrap())
        .collect();
    assert_eq!(counts, [8, 192, 320]);
    let days = world.api.items_of("alert_day").await;
    assert_eq!(days.len(), 3);
    assert!(
        days.iter()
            .all(|day| day.contains_key("expiresAt"))
    );
}

/// An alert that flaps every minute does not fill the hour of its class, and an hour has a bound.
#[tokio::test]
async fn an_hour_keeps_a_record_once_a_quarter_and_a_hundred_in_all() {
    let world = Concierge::start().await;
    let alerts = world.api.store.alerts();
    let home = world.api.home.id;
    let about = |batch: &str, ago: i64| {
        let at = world.api.clock.now().plus(-ago);
        let more = json!({"entities": [{"type": "usage_batch", "id": batch}]});
        records::alert_with("usage_batch_stuck", at, &more)
    };
    let kept = async || {
        let days = world.api.items_of("alert_day").await;
        let days = days
            .iter()
            .map(|day| day["occurrences"].as_ns().unwrap());
        days.map(Vec::len).sum::<usize>()
    };
    // From 11:01 to noon, in parts: a quarter is known from the table, too.
    for half in [0..30, 30..60] {
        let flaps: Vec<_> = half
            .map(|ago| about("flaps", ago * span::MINUTE))
            .collect();
        alerts
            .record_all(home, &flaps)
            .await
            .unwrap();
    }
    assert_eq!(kept().await, 5);
    let others: Vec<_> = (0..101)
        .map(|number| about(&format!("other_{number}"), 30 * span::MINUTE))
        .collect();
    alerts
        .record_all(home, &others)
        .await
        .unwrap();
    // One of noon, and of the hour before a hundred.
    assert_eq!(kept().await, 101);
    let long_ago = about("long_ago", 100 * span::DAY);
    alerts
        .record_all(home, &[long_ago])
        .await
        .unwrap();
    assert_eq!(kept().await, 101);
}

#[tokio::test]
async fn an_alert_that_comes_back_after_a_fix_is_a_pattern() {
    let (world, session, _) = Concierge::start()
        .await
        .with_approved_batch()
        .await;
    world.delivers(&world.worker()).await;
    assert_eq!(world.outcome(&session).await.0, "completed");
    world.api.clock.advance(span::HOUR);
    // Of another record it is another case.
    let other = world.alert("usage_batch_stuck", &[("usage_batch", "ub_1002")]);
    assert_eq!(other.await.recurrence, None);
    let again = world.stuck_batch().await;
    world.proposed(&again).await;
    let analysis = &world.session(&again).await["analysis"];
    assert_eq!(analysis["isAnomalyPattern"], true);
    let expected =
        json!({"entity": "ub_1001", "agentSessionId": session, "at": "2026-01-15T12:00:00.000Z"});
    assert_eq!(analysis["pattern"]["recurrence"], expected);
}

#[tokio::test]
async fn an_analysis_that_fails_ends_the_session() {
    let why = "the model is out for lunch";
    let world = Concierge::start_with(AgentSettings {
        analyse: Some(Arc::new(move |_| {
            Box::pin(async move { Err(Error::internal("analysing", why)) })
        })),
        ..AgentSettings::default()
    })
    .await;
    let id = world.stuck_batch().await;
    let path = format!("/api/concierge/agent-sessions/{id}/propose");
    let answer = world.max.trigger(&path).await;
    answer.expect_problem(500, "internal_error");
    assert!(!answer.text.contains("lunch"));
    let session = world.session(&id).await;
    assert_eq!(session["status"], "failed");
    let error = session["error"].as_str().unwrap();
    assert!(!error.is_empty() && !error.contains("lunch"));
    for answer in [world.max.trigger(&path).await, world.cancels(&id).await] {
        answer.expect_problem(409, "invalid_transition");
    }
}
