//! The money that an action moves, by its record.

use agent::{Currency, Facts, Money, MoneyEffect};
use serde::Deserialize;
use serde_json::Value;

/// The facts with the amount.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct MoneyInFile {
    /// The amount's fact: an integer in the currency's smallest unit.
    pub(super) amount: String,
    /// The currency's fact: three letters.
    pub(super) currency: String,
    pub(super) effect: MoneyEffect,
}

impl MoneyInFile {
    /// True if money itself is transferred, which may take time.
    pub(super) const fn moves_cash(&self) -> bool {
        matches!(
            self.effect,
            MoneyEffect::CustomerPays | MoneyEffect::CustomerIsRepaid
        )
    }

    /// Returns the amount, if both facts are known and valid.
    pub(super) fn read(&self, facts: &Facts) -> Option<Money> {
        let minor_units = facts.get(&self.amount)?.as_i64()?;
        let currency = facts.get(&self.currency).and_then(Value::as_str)?;
        let currency = Currency::new(&currency.to_ascii_uppercase())?;
        (minor_units >= 0).then_some(Money {
            minor_units,
            currency,
        })
    }
}
