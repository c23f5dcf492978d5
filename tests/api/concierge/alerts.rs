//! `GET /api/concierge/alerts`

use serde_json::json;
use shared::{
    agent::alert::{AlertReport, AlertStatus},
    model::base::span,
};
use tests::{records, shows, support::Concierge};

const ALERTS: &str = "/api/concierge/alerts";

#[tokio::test]
async fn alerts_come_newest_first_and_are_filtered() {
    let world = Concierge::start().await;
    let api = &world.api;
    let sue = world.api.sign_in("sue").await;
    for (class, severity, status) in [
        ("payment_failed", "error", AlertStatus::Open),
        ("payment_failed", "critical", AlertStatus::Resolved),
        ("usage_batch_stuck", "error", AlertStatus::Open),
    ] {
        api.clock.advance(span::SECOND);
        let new = AlertReport {
            status,
            ..records::alert_with(class, api.clock.now(), &json!({"severity": severity}))
        };
        api.store
            .alerts()
            .record(api.home.id, new)
            .await
            .unwrap();
    }
    for (query, expected) in [
        ("", vec![3, 2, 1]),
        ("?sort=-occurredAt", vec![3, 2, 1]),
        ("?status=open", vec![3, 1]),
        (
            "?severity=error,critical&signalType=payment_failed",
            vec![2, 1],
        ),
        ("?severity=info", vec![]),
    ] {
        let ids = sue
            .get(&format!("{ALERTS}{query}"))
            .await
            .ids();
        assert_eq!(ids, expected, "{query}");
    }
    assert_eq!(
        api.sign_in("zoe")
            .await
            .get(ALERTS)
            .await
            .ids(),
        [0; 0]
    );
}

#[tokio::test]
async fn an_alert_names_its_session() {
    let world = Concierge::start().await;
    let alert = world
        .alert("payment_failed", &[("invoice", "inv_1")])
        .await;
    let session = world.opened(&alert).await;
    let alert = &world.max.reads(ALERTS).await[0];
    assert_eq!(alert["agentSessionId"], session);
    shows!(alert, {"entities": [{"type": "invoice", "id": "inv_1"}]});
    shows!(alert, {"status": "open", "amountAtRisk": null});
}
