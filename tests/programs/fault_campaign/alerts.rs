//! Alerts for the agent, each about entities of its own.

use serde_json::{Map, Value, json};
use shared::{agent::alert::AlertReport, clock::Clock};
use strum::VariantArray;
use tests::records;

/// The failure of a payment that is declined whenever it is tried.
const DECLINED: &str = "card_declined";

/// A class of alerts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, VariantArray)]
pub enum Class {
    /// A payment is retried, which a key keeps from being done twice. If that fails, a message is
    /// sent.
    Payment,
    /// A payment was declined for good. A message is sent, which nothing keeps from being sent
    /// twice.
    Declined,
    /// A customer is brought in line, in two steps.
    Customer,
    /// A credit note is issued, which nothing but its key keeps from being issued twice.
    Invoice,
    /// A batch is processed.
    Batch,
}

impl Class {
    /// Returns the class of the entities of this number.
    pub const fn of(number: usize) -> Self {
        Self::VARIANTS[number % Self::VARIANTS.len()]
    }

    /// The proposed action that is not executed: the executed one excludes it.
    pub const fn left_out(self) -> &'static str {
        match self {
            Self::Invoice => "void_invoice",
            _ => "manual_review",
        }
    }

    const fn has_payment(self) -> bool {
        matches!(self, Self::Payment | Self::Declined)
    }

    const fn has_customer(self) -> bool {
        self.has_payment() || matches!(self, Self::Customer)
    }

    /// An alert about the entities of this number.
    pub fn alert(self, number: usize) -> AlertReport {
        let (name, entities) = match self {
            Self::Payment | Self::Declined => (
                "payment_failed",
                vec![("payment", "pay"), ("customer", "cus")],
            ),
            Self::Customer => ("customer_out_of_sync", vec![("customer", "cus")]),
            Self::Invoice => ("invoice_duplicated", vec![("invoice", "inv")]),
            Self::Batch => ("usage_batch_stuck", vec![("usage_batch", "ub")]),
        };
        let entities = entities
            .into_iter()
            .map(|(kind, prefix)| json!({"type": kind, "id": format!("{prefix}_{number}")}));
        let mut more = json!({
            "entities": entities.collect::<Vec<_>>(),
            "amountAtRisk": {"minorUnits": 1, "currency": "USD"},
        });
        if self == Self::Declined {
            more["labels"] = json!({"failure": DECLINED});
        }
        records::alert_with(name, Clock::system().now(), &more)
    }
}

/// The target systems' records for the alerts of so many numbers.
pub fn entities(count: usize) -> Value {
    let [mut customers, mut payments, mut invoices, mut batches] =
        std::array::from_fn(|_| Map::new());
    for number in 0..count {
        let class = Class::of(number);
        let customer = format!("cus_{number}");
        if class.has_customer() {
            let record = json!({
                "name": customer, "email": "billing@customer.example", "plan": "scale",
                "syncState": "out_of_sync", "missingUsageEvents": 0,
            });
            customers.insert(customer.clone(), record);
        }
        if class.has_payment() || class == Class::Invoice {
            let is_open = class.has_payment();
            let record = json!({
                "customerId": customer, "number": number.to_string(), "amountDue": 100,
                "currency": "usd", "state": if is_open { "open" } else { "paid" },
                "period": "2026-10",
                "amountPaid": if is_open { 0 } else { 100 },
                // What a duplicate is of, without which none is credited.
                "duplicateOf": (!is_open).then(|| format!("inv_{number}_before")),
            });
            if !is_open {
                let mut before = record.clone();
                before["duplicateOf"] = Value::Null;
                invoices.insert(format!("inv_{number}_before"), before);
                // The processor knows what was paid.
                for paid in [number.to_string(), format!("{number}_before")] {
                    let record = json!({
                        "invoiceId": format!("inv_{paid}"), "customerId": customer, "amount": 100,
                        "currency": "usd", "state": "succeeded", "amountCaptured": 100,
                    });
                    payments.insert(format!("pay_{paid}"), record);
                }
            }
            invoices.insert(format!("inv_{number}"), record);
        }
        if class.has_payment() {
            let is_declined = class == Class::Declined;
            let record = json!({
                "invoiceId": format!("inv_{number}"), "customerId": customer, "amount": 100,
                "currency": "usd", "state": "failed",
                "failure": if is_declined { DECLINED } else { "processing_error" },
            });
            payments.insert(format!("pay_{number}"), record);
        }
        if class == Class::Batch {
            let record = json!({
                "customerId": customer, "period": "2026-10", "events": 1, "state": "processing",
                "minutesSinceProgress": 600,
            });
            batches.insert(format!("ub_{number}"), record);
        }
    }
    json!({
        "customers": customers, "payments": payments, "invoices": invoices,
        "usageBatches": batches,
    })
}
