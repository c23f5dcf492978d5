//! The alerts of the demo organization.

use serde_json::{Map, Value, json};
use shared::{
    agent::{AlertReport, AlertStatus},
    input,
    model::span,
};

use super::{Demo, Error};

impl Demo {
    /// Records one open alert of each class, and earlier alerts of the first class.
    #[expect(clippy::too_many_lines, reason = "the function is a list of alerts")]
    pub(super) async fn alerts(&self) -> Result<(), Error> {
        let batch = Alarm {
            class: "usage_batch_stuck",
            severity: "error",
            title: "Usage batch ub_1001 has been processing for 26 hours",
            system: "billing",
            entities: &[("usage_batch", "ub_1001"), ("customer", "cus_501")],
            labels: &[("period", "2026-10")],
            metric: Some(("processing_hours", 26.0, 6.0, "hours")),
            at_risk: Some((482_100, "USD")),
            lifecycle: &[(30, "open"), (27, "closed"), (26, "processing")],
            hours: 2,
        };
        let standing = [
            batch,
            Alarm {
                class: "usage_events_missing",
                severity: "warning",
                title: "1,840 usage events of Brightwater Foods never arrived",
                entities: &[("customer", "cus_501")],
                metric: Some(("missing_events", 1_840.0, 100.0, "events")),
                at_risk: Some((92_000, "USD")),
                lifecycle: &[(50, "metered"), (49, "sent")],
                ..batch
            },
            Alarm {
                class: "payment_failed",
                severity: "error",
                title: "The payment of invoice TT-2026-10 failed",
                system: "payments",
                entities: &[
                    ("payment", "pay_3002"),
                    ("invoice", "inv_2005"),
                    ("customer", "cus_503"),
                ],
                labels: &[("failure", "insufficient_funds")],
                metric: None,
                at_risk: Some((23_100, "USD")),
                lifecycle: &[(40, "created"), (39, "failed")],
                ..batch
            },
            Alarm {
                class: "invoice_not_finalized",
                severity: "warning",
                title: "Invoice KA-2026-10 is still a draft",
                entities: &[("invoice", "inv_2002"), ("customer", "cus_502")],
                metric: Some(("draft_hours", 72.0, 24.0, "hours")),
                at_risk: Some((1_960_440, "USD")),
                lifecycle: &[(72, "draft")],
                ..batch
            },
            Alarm {
                class: "customer_out_of_sync",
                severity: "warning",
                title: "Ferro Robotics differs between the CRM and billing",
                entities: &[("customer", "cus_504")],
                labels: &[],
                metric: None,
                at_risk: None,
                lifecycle: &[(20, "changed_in_crm")],
                ..batch
            },
            Alarm {
                class: "invoice_duplicated",
                severity: "critical",
                title: "Longhaul Imports was billed twice for October",
                entities: &[("invoice", "inv_2008"), ("customer", "cus_505")],
                metric: None,
                at_risk: Some((701_550, "USD")),
                lifecycle: &[(60, "draft"), (59, "open")],
                ..batch
            },
            Alarm {
                class: "payment_outcome_unknown",
                severity: "error",
                title: "It is not known whether invoice LI-2026-09 was paid",
                system: "payments",
                entities: &[("payment", "pay_3007"), ("invoice", "inv_2013")],
                labels: &[],
                metric: None,
                at_risk: Some((688_000, "USD")),
                lifecycle: &[(5, "created"), (4, "unknown")],
                ..batch
            },
            Alarm {
                class: "usage_counted_twice",
                severity: "warning",
                title: "Usage batch ub_1009 has more events than its sender counted",
                entities: &[("usage_batch", "ub_1009"), ("customer", "cus_502")],
                metric: Some(("surplus_events", 1_904.0, 0.0, "events")),
                at_risk: None,
                lifecycle: &[(12, "open"), (10, "processed")],
                ..batch
            },
            Alarm {
                class: "invoice_quantity_differs",
                severity: "warning",
                title: "Invoice KA-2026-11 bills more than was metered",
                entities: &[("invoice", "inv_2012"), ("customer", "cus_502")],
                metric: Some(("surplus_units", 1_904.0, 0.0, "units")),
                at_risk: Some((22_848, "USD")),
                lifecycle: &[(9, "draft")],
                ..batch
            },
            Alarm {
                class: "invoice_generation_failed",
                severity: "error",
                title: "No invoice could be made for Northgate Clinics",
                entities: &[("customer", "cus_506")],
                metric: None,
                at_risk: Some((318_000, "USD")),
                lifecycle: &[(30, "parked")],
                ..batch
            },
            Alarm {
                class: "webhooks_failing",
                severity: "warning",
                title: "The endpoint of Kestrel Air does not take webhooks",
                system: "notifications",
                entities: &[("webhook_endpoint", "we_5001"), ("customer", "cus_502")],
                labels: &[],
                metric: Some(("undelivered", 318.0, 10.0, "webhooks")),
                at_risk: None,
                lifecycle: &[(8, "failing")],
                ..batch
            },
            Alarm {
                class: "dispute_opened",
                severity: "critical",
                title: "A payment of Ferro Robotics is disputed",
                system: "payments",
                entities: &[("dispute", "dp_4001"), ("invoice", "inv_2014")],
                labels: &[],
                metric: None,
                at_risk: Some((151_000, "EUR")),
                lifecycle: &[(3, "needs_response")],
                ..batch
            },
        ];
        let alerts = self.store.alerts();
        let since = self.ago(60 * span::DAY);
        alerts.recorded_since(self.tenant, since).await?;
        // The first alert is the newest, so the list of open alerts begins with it.
        for (number, alarm) in standing.into_iter().enumerate() {
            let alarm = Alarm {
                hours: alarm.hours + i64::try_from(number).unwrap_or_default(),
                ..alarm
            };
            self.alert(number, alarm, AlertStatus::Open).await?;
        }
        self.earlier_alerts(batch).await
    }

    /// Records resolved alerts of the same class.
    async fn earlier_alerts(&self, batch: Alarm) -> Result<(), Error> {
        // Batches got stuck more often since yesterday than before.
        let earlier: [(i64, &'static [(&'static str, &'static str)]); 8] = [
            (600, &[("usage_batch", "ub_0960")]),
            (410, &[("usage_batch", "ub_0974")]),
            (220, &[("usage_batch", "ub_0988")]),
            (22, &[("usage_batch", "ub_0995")]),
            (19, &[("usage_batch", "ub_0996")]),
            (14, &[("usage_batch", "ub_0997")]),
            (9, &[("usage_batch", "ub_0998")]),
            (5, &[("usage_batch", "ub_0999")]),
        ];
        for (number, (hours, entities)) in earlier.into_iter().enumerate() {
            let earlier = Alarm {
                title: "A usage batch was stuck",
                entities,
                hours,
                ..batch
            };
            self.alert(100 + number, earlier, AlertStatus::Resolved)
                .await?;
        }
        Ok(())
    }

    async fn alert(&self, number: usize, alarm: Alarm, status: AlertStatus) -> Result<(), Error> {
        let occurred_at = self.ago(alarm.hours * span::HOUR);
        let entities = alarm.entities.iter();
        let entities = entities.map(|(kind, id)| json!({"type": kind, "id": id}));
        let labels = alarm.labels.iter();
        let labels = labels.map(|(name, value)| ((*name).to_owned(), Value::from(*value)));
        let metric = alarm.metric.map(|(name, value, threshold, unit)| {
            json!({"name": name, "value": value, "threshold": threshold, "unit": unit})
        });
        let at_risk = alarm.at_risk;
        let at_risk =
            at_risk.map(|(amount, currency)| json!({"minorUnits": amount, "currency": currency}));
        let lifecycle = alarm.lifecycle.iter();
        let lifecycle = lifecycle.map(
            |(hours, state)| json!({"at": occurred_at.plus(-hours * span::HOUR), "state": state}),
        );
        let content = input::from_value(&json!({
            "source": "billing-monitor",
            "externalId": format!("alarm-{number}"),
            "signalType": alarm.class,
            "severity": alarm.severity,
            "title": alarm.title,
            "targetSystem": alarm.system,
            "entities": entities.collect::<Vec<_>>(),
            "labels": labels.collect::<Map<_, _>>(),
            "metric": metric,
            "amountAtRisk": at_risk,
            "lifecycle": lifecycle.collect::<Vec<_>>(),
        }))?;
        let report = AlertReport::new(content, status, occurred_at);
        self.store.alerts().record(self.tenant, report).await?;
        Ok(())
    }
}

/// An alert in short.
#[derive(Clone, Copy)]
struct Alarm {
    class: &'static str,
    severity: &'static str,
    title: &'static str,
    system: &'static str,
    /// Type and id.
    entities: &'static [(&'static str, &'static str)],
    /// Name and value.
    labels: &'static [(&'static str, &'static str)],
    /// Name, value, threshold and unit.
    metric: Option<(&'static str, f64, f64, &'static str)>,
    /// Minor units and currency.
    at_risk: Option<(i64, &'static str)>,
    /// Hours before the alert, and the state entered then.
    lifecycle: &'static [(i64, &'static str)],
    /// Hours ago.
    hours: i64,
}
