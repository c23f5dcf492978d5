use crate::prelude::*;

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
    pub(super) fn facts(&self) -> impl Iterator<Item = &str> {
        self.amount.iter().chain(&self.currency).map(String::as_str)
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
