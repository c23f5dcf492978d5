//! Parts of an alert: its status and severity, and what it names, measures and tells of the past.

use model::{
    base::{AgentSessionId, EntityId, MetricName, Slug, StateName, Timestamp, Unit},
    input, names,
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{
    alert::{Currency, Measure},
    connection::{SystemKind, kind::decimals},
};

names! {
    /// The status of an alert.
    pub enum AlertStatus = "an alert status" {
        /// Not resolved.
        Open,
        /// A user is investigating it.
        Acknowledged,
        /// Resolved.
        Resolved,
    }
}

names! {
    /// The source of an alert's status.
    pub enum StatusSource {
        /// A report of the alert.
        Report,
        /// A user.
        User,
        /// The agent, after a read.
        Agent,
    }
}

names! {
    /// The severity of an alert.
    pub enum Severity = "a severity" {
        /// Information only.
        Info,
        /// A possible problem.
        Warning,
        /// A problem.
        Error,
        /// A problem for many customers.
        Critical,
    }
}

input! {
    /// A record of a target system.
    #[derive(PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "camelCase")]
    pub struct AlertEntity {
        /// The type: `usage_batch`.
        r#type: Slug,
        /// The id in that system.
        id: EntityId,
    }
    example {"type": "usage_batch", "id": "ub_1001"};
}

input! {
    /// The measurement that raised an alert.
    #[derive(PartialEq, Serialize, Deserialize)]
    #[serde(rename_all = "camelCase")]
    pub struct AlertMetric {
        name: MetricName,
        value: Measure,
        /// The exceeded limit.
        threshold: Measure,
        unit: Unit,
    }
    example {"name": "processing_hours", "value": 26, "threshold": 6, "unit": "hours"};
}

input! {
    #[derive(PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "camelCase")]
    pub struct Money {
        /// The amount in the currency's smallest unit.
        minor_units: i64,
        /// The currency's ISO 4217 code.
        currency: Currency,
    }
    example {"minorUnits": 482_100, "currency": "USD"};
}

input! {
    /// A lifecycle step of an alert's first record.
    #[derive(PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "camelCase")]
    pub struct LifecycleEvent {
        at: Timestamp,
        /// The state that it entered.
        state: StateName,
    }
    example {"at": "2026-01-13T10:00:00.000Z", "state": "processing"};
}

/// A record that was fixed before.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Recurrence {
    /// The record's id.
    pub entity: String,
    /// The session that fixed it.
    pub agent_session_id: AgentSessionId,
    /// The instant of that fix.
    pub at: Timestamp,
}

impl Money {
    /// Returns the amount in the currency's main unit, such as `10,000.00 USD`. `kind` is the kind
    /// of the target system, which may count in other units than ISO 4217.
    pub fn says(&self, kind: SystemKind) -> String {
        let decimals = decimals(&self.currency, kind);
        let digits = self
            .minor_units
            .unsigned_abs()
            .to_string();
        let digits = format!("{digits:0>width$}", width = decimals + 1);
        let (whole, rest) = digits.split_at(digits.len() - decimals);
        let mut text = String::new();
        if self.minor_units < 0 {
            text.push('-');
        }
        for (at, digit) in whole.chars().enumerate() {
            if at > 0 && (whole.len() - at) % 3 == 0 {
                text.push(',');
            }
            text.push(digit);
        }
        if decimals > 0 {
            text.push('.');
            text.push_str(rest);
        }
        format!("{text} {}", self.currency)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_amount_has_the_decimals_of_its_system() {
        for (minor_units, currency, kind, text) in [
            (1_000_000, "USD", SystemKind::Billing, "10,000.00 USD"),
            (482_105, "USD", SystemKind::Stripe, "4,821.05 USD"),
            (99_999, "USD", SystemKind::Other, "999.99 USD"),
            (-5, "EUR", SystemKind::Other, "-0.05 EUR"),
            (-123_456_789, "EUR", SystemKind::Other, "-1,234,567.89 EUR"),
            (1_000, "JPY", SystemKind::Other, "1,000 JPY"),
            (1_000, "JPY", SystemKind::Stripe, "1,000 JPY"),
            (0, "JPY", SystemKind::Other, "0 JPY"),
            (1_001, "KWD", SystemKind::Other, "1.001 KWD"),
            (12_345_678, "CLF", SystemKind::Other, "1,234.5678 CLF"),
            (500, "UYW", SystemKind::Other, "0.0500 UYW"),
            (500, "UYI", SystemKind::Other, "500 UYI"),
            // Stripe counts these in hundredths, and one that ISO divides as a whole.
            (500, "ISK", SystemKind::Lago, "500 ISK"),
            (500, "ISK", SystemKind::Stripe, "5.00 ISK"),
            (500, "UGX", SystemKind::Stripe, "5.00 UGX"),
            (500, "MGA", SystemKind::Stripe, "500 MGA"),
        ] {
            let currency = Currency::new(currency).unwrap();
            let amount = Money {
                minor_units,
                currency,
            };
            assert_eq!(amount.says(kind), text);
        }
    }
}
