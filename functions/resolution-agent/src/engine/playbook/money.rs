//! The money that an action moves, as its record says.

use serde::Deserialize;
use serde_json::Value;
use shared::model::{Facts, Money, MoneyEffect};

/// The facts that tell it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct MoneyInFile {
    /// A whole number of the currency's smallest unit.
    pub(super) amount: String,
    /// Three letters.
    pub(super) currency: String,
    pub(super) effect: MoneyEffect,
}

impl MoneyInFile {
    /// Whether money itself goes from one to the other, which may take its time.
    pub(super) const fn moves_cash(&self) -> bool {
        matches!(
            self.effect,
            MoneyEffect::CustomerPays | MoneyEffect::CustomerIsRepaid
        )
    }

    /// The amount, if both facts are known and make one.
    pub(super) fn read(&self, facts: &Facts) -> Option<Money> {
        let minor_units = facts.get(&self.amount)?.as_i64()?;
        let currency = facts.get(&self.currency).and_then(Value::as_str)?;
        let is_code = currency.len() == 3 && currency.bytes().all(|b| b.is_ascii_alphabetic());
        (is_code && minor_units >= 0).then(|| Money {
            minor_units,
            currency: currency.to_ascii_uppercase(),
        })
    }
}
