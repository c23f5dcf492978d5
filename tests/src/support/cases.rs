//! An alert for each of the shipped playbooks, about records of the demo's systems.

use serde_json::{Map, Value, json};
use shared::{agent::alert::Alert, model::base::OrganizationId};

use crate::records;

use super::Concierge;

/// An alert, and what follows from it.
#[derive(Clone, Copy, Debug)]
pub struct PlaybookCase {
    pub playbook: &'static str,
    /// The class of the alert.
    pub class: &'static str,
    /// The system that it is about.
    pub system: &'static str,
    /// The records, by their types.
    pub entities: &'static [(&'static str, &'static str)],
    pub labels: &'static [(&'static str, &'static str)],
    /// Which of the proposed actions run by themselves.
    pub automated: &'static [bool],
}

const fn case(
    playbook: &'static str,
    class: &'static str,
    system: &'static str,
    entities: &'static [(&'static str, &'static str)],
    automated: &'static [bool],
) -> PlaybookCase {
    PlaybookCase {
        playbook,
        class,
        system,
        entities,
        labels: &[],
        automated,
    }
}

/// Cases of the playbooks for the demo's systems. No two of them change a record by the same
/// action.
#[rustfmt::skip] // A line each.
pub const CASES: &[PlaybookCase] = &[
    case("usage-batch-stuck", "usage_batch_stuck", "billing", &[("usage_batch", "ub_1001")], &[true, false]),
    case("usage-events-missing", "usage_events_missing", "billing", &[("customer", "cus_501")], &[true]),
    case(
        "payment-failed",
        "payment_failed",
        "payments",
        &[("payment", "pay_3002"), ("customer", "cus_503")],
        &[true, true],
    ),
    PlaybookCase {
        labels: &[("failure", "card_declined")],
        ..case(
            "payment-declined",
            "payment_failed",
            "payments",
            &[("payment", "pay_3006"), ("customer", "cus_502")],
            &[true, false],
        )
    },
    case("invoice-not-finalized", "invoice_not_finalized", "billing", &[("invoice", "inv_2002")], &[true]),
    case("customer-out-of-sync", "customer_out_of_sync", "billing", &[("customer", "cus_504")], &[true]),
    case("invoice-duplicated", "invoice_duplicated", "billing", &[("invoice", "inv_2008")], &[true]),
    // The same of an invoice that was paid.
    case("invoice-duplicated", "invoice_duplicated", "billing", &[("invoice", "inv_2010")], &[true]),
    case(
        "payment-outcome-unknown",
        "payment_outcome_unknown",
        "payments",
        &[("payment", "pay_3007"), ("invoice", "inv_2013")],
        &[true, false],
    ),
    case(
        "usage-counted-twice",
        "usage_counted_twice",
        "billing",
        &[("usage_batch", "ub_1009"), ("customer", "cus_502")],
        &[true, false],
    ),
    case(
        "invoice-quantity-differs",
        "invoice_quantity_differs",
        "billing",
        &[("invoice", "inv_2012"), ("customer", "cus_502")],
        &[true],
    ),
    case(
        "invoice-generation-failed",
        "invoice_generation_failed",
        "billing",
        &[("customer", "cus_506")],
        &[true, true],
    ),
    case(
        "webhooks-failing",
        "webhooks_failing",
        "notifications",
        &[("webhook_endpoint", "we_5001"), ("customer", "cus_502")],
        &[true],
    ),
    case(
        "dispute-opened",
        "dispute_opened",
        "payments",
        &[("dispute", "dp_4001"), ("invoice", "inv_2014")],
        &[true, false, false],
    ),
];

/// An alert that no playbook knows.
pub const UNKNOWN: PlaybookCase = case("fallback", "moon_in_the_way", "billing", &[], &[false]);

impl Concierge {
    /// Records the alert of a case.
    pub async fn alert_of(&self, tenant: OrganizationId, case: &PlaybookCase) -> Alert {
        let label = |(name, value): &(&str, &str)| ((*name).to_owned(), Value::from(*value));
        let more = json!({
            "targetSystem": case.system,
            "entities": records::entities(case.entities.iter().copied()),
            "labels": case.labels.iter().map(label).collect::<Map<_, _>>(),
        });
        let new = records::alert_with(case.class, self.api.clock.now(), &more);
        let alerts = self.api.store.alerts();
        alerts
            .record(tenant, new)
            .await
            .unwrap()
            .record
    }
}
