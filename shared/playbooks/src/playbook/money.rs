use agent::{
    action::{MoneyDirection, MoneyMoved},
    alert::{Currency, Money},
    check::Facts,
};
use serde::Deserialize;
use serde_json::Value;

/// The direction, and the facts with the amount.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct MoneyInFile {
    pub(super) direction: MoneyDirection,
    /// The amount's fact: an integer in the currency's smallest unit. None if a later invoice bills
    /// it.
    pub(super) amount: Option<String>,
    /// The currency's fact: three letters.
    pub(super) currency: Option<String>,
}

impl MoneyInFile {
    /// True if it has an amount and a currency, or neither since a later invoice bills it.
    pub(super) fn is_sound(&self) -> bool {
        let is_later = self.direction == MoneyDirection::CustomerIsBilledLater;
        self.amount.is_some() != is_later && self.currency.is_some() != is_later
    }

    /// True if money itself is transferred, which may take time.
    pub(super) const fn moves_cash(&self) -> bool {
        self.direction.is_transfer()
    }

    pub(super) fn facts(&self) -> impl Iterator<Item = &str> {
        let facts = self.amount.iter().chain(&self.currency);
        facts.map(String::as_str)
    }

    pub(super) fn read(&self, facts: &Facts) -> MoneyMoved {
        MoneyMoved {
            direction: self.direction,
            amount: self.amount(facts),
        }
    }

    fn amount(&self, facts: &Facts) -> Option<Money> {
        let minor_units = facts.get(self.amount.as_ref()?)?.as_i64()?;
        let currency = facts.get(self.currency.as_ref()?).and_then(Value::as_str)?;
        let currency = Currency::new(&currency.to_ascii_uppercase())?;
        (minor_units >= 0).then_some(Money {
            minor_units,
            currency,
        })
    }
}
