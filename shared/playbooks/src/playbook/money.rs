use agent::{
    action::{Debt, MoneyDirection, MoneyMoved},
    alert::{Currency, Money},
    check::{Expectation, FactCondition, Facts, TargetRead},
};
use serde::Deserialize;
use serde_json::Value;

use crate::template::plain;

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
    /// The fact with the customer of the record that moves it. None if this is the debtor's record.
    pub(super) customer: Option<String>,
}

/// A debt: facts of the debtor's record. An action with an amount moves exactly this debt.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct DebtInFile {
    /// The read of the record that owes.
    pub(super) of: String,
    /// The fact of that read with the open amount.
    pub(super) amount: String,
    pub(super) currency: String,
    pub(super) customer: String,
}

impl MoneyInFile {
    pub(super) fn facts(&self) -> impl Iterator<Item = &str> {
        let facts = self
            .amount
            .iter()
            .chain(&self.currency)
            .chain(&self.customer);
        facts.map(String::as_str)
    }

    pub(super) fn read(&self, facts: &Facts) -> MoneyMoved {
        MoneyMoved {
            direction: self.direction,
            amount: self.amount(facts),
        }
    }

    fn amount(&self, facts: &Facts) -> Option<Money> {
        let amount = money(facts, self.amount.as_ref()?, self.currency.as_ref()?)?;
        (amount.minor_units >= 0).then_some(amount)
    }
}

fn money(facts: &Facts, amount: &str, currency: &str) -> Option<Money> {
    let currency = facts
        .get(currency)
        .and_then(Value::as_str)?;
    Some(Money {
        minor_units: facts.get(amount)?.as_i64()?,
        currency: Currency::new(&currency.to_ascii_uppercase())?,
    })
}

impl DebtInFile {
    pub(super) fn facts(&self) -> [String; 3] {
        [&self.amount, &self.currency, &self.customer].map(|fact| format!("{}.{fact}", self.of))
    }

    /// Returns the debt by its own record; none if a part of it is not known.
    pub(super) fn found(&self, read: &TargetRead, facts: &Facts) -> Option<Debt> {
        let [amount, currency, customer] = self.facts();
        Some(Debt {
            connection: read.connection.clone(),
            request: read.call().summary(),
            amount: money(facts, &amount, &currency)?,
            customer: plain(facts.get(&customer)?.clone()),
        })
    }

    /// Returns the conditions that the money is the debt: both have one amount, currency and
    /// customer.
    pub(super) fn is_met_by(&self, money: &MoneyInFile) -> Vec<FactCondition> {
        let [amount, currency, customer] = self.facts();
        let pairs = [
            (&money.amount, amount, "The amount is the one that is owed."),
            (
                &money.currency,
                currency,
                "The currency is that of the debt.",
            ),
            (
                &money.customer,
                customer,
                "The customer is the one who owes it.",
            ),
        ];
        let compared = pairs
            .into_iter()
            .filter_map(|(moved, owed, says)| {
                let moved = moved
                    .clone()
                    .filter(|moved| *moved != owed)?;
                Some(FactCondition {
                    says: Some(says.to_owned()),
                    ..FactCondition::new(moved, Expectation::SameAs(owed))
                })
            });
        compared.collect()
    }
}
