//! What a signal gives for the placeholders of its playbook.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;
use shared::model::{Facts, Money, Signal};

use super::Playbook;
use crate::engine::{
    money::money,
    template::{Missing, Template, plain, segment},
};

/// Where a parameter's value comes from, and its type.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Source {
    /// The id of the signal's first entity of that type.
    Entity(String),
    /// A label, as text.
    Label(String),
    /// A label that is a whole number.
    IntegerLabel(String),
    /// The amount at risk in the currency's smallest unit, a whole number.
    AmountAtRisk,
    /// The currency of the amount at risk, as text.
    Currency,
}

/// Texts that every playbook may use without naming a source.
pub(super) const GIVEN: [&str; 4] = ["amount_at_risk", "state", "target_system", "title"];

/// The money that an action moves, as a text, in the texts of that action.
pub(super) const MONEY: &str = "money";

/// The most characters of a fact that a text, a path or a body takes: what a target system says of its
/// records is its data, of any length.
const LONGEST_FACT: usize = 200;

/// The values of a playbook's parameters for one signal, and what is known of its records.
#[derive(Clone, Debug)]
pub(in crate::engine) struct Values {
    /// With their types, for paths and bodies.
    parameters: BTreeMap<String, Value>,
    /// Texts for people.
    given: BTreeMap<&'static str, String>,
    /// What was read.
    facts: Facts,
}

impl Values {
    /// With what was read.
    pub(in crate::engine) fn with(self, facts: Facts) -> Self {
        Self { facts, ..self }
    }

    /// For the texts of an action that moves that much.
    pub(super) fn moving(&self, amount: Option<&Money>) -> Self {
        let mut values = self.clone();
        if let Some(amount) = amount {
            values.given.insert(MONEY, money(amount));
        }
        values
    }

    /// What was read.
    pub(super) const fn facts(&self) -> &Facts {
        &self.facts
    }

    /// A text or a parameter's value as a text.
    pub(super) fn plain(&self, name: &str) -> Option<String> {
        if let Some(text) = self.given.get(name) {
            return Some(text.clone());
        }
        if let Some(fact) = self.facts.get(name) {
            let plain = plain(fact.clone());
            let readable = plain.chars().filter(|one| !one.is_control());
            return Some(readable.take(LONGEST_FACT).collect());
        }
        self.parameters.get(name).cloned().map(plain)
    }

    /// The value of a parameter, or of a fact that is not too long, with its type.
    pub(super) fn parameter(&self, name: &str) -> Option<Value> {
        let fact = self.facts.get(name);
        let fact = fact.filter(|fact| {
            let text = fact.as_str().unwrap_or_default();
            text.chars().count() <= LONGEST_FACT && !text.chars().any(char::is_control)
        });
        fact.or_else(|| self.parameters.get(name)).cloned()
    }

    /// A text for people, in which what is missing is called unknown.
    pub(in crate::engine) fn text(&self, template: &Template) -> String {
        template
            .render(|name| {
                let missing = || format!("(unknown {})", name.replace(['_', '.'], " "));
                Some(self.plain(name).unwrap_or_else(missing))
            })
            .unwrap_or_default()
    }

    /// A path, in which a value cannot leave its segment.
    pub(super) fn path(&self, template: &Template) -> Result<String, Missing> {
        template.render(|name| {
            let value = plain(self.parameter(name)?);
            is_segment(&value).then(|| segment(&value))
        })
    }
}

impl Playbook {
    /// What the signal gives for the parameters; some may be missing.
    pub(in crate::engine) fn values(&self, signal: &Signal) -> Values {
        let parameters = self
            .parameters
            .iter()
            .filter_map(|(name, source)| Some((name.clone(), source.value(signal)?)))
            .collect();
        let mut given = BTreeMap::from([
            ("title", signal.title.clone()),
            ("target_system", signal.target_system.clone()),
        ]);
        if let Some(amount) = &signal.amount_at_risk {
            given.insert("amount_at_risk", money(amount));
        }
        if let Some(last) = signal.lifecycle.last() {
            given.insert("state", last.state.clone());
        }
        Values {
            parameters,
            given,
            facts: Facts::default(),
        }
    }
}

impl Source {
    fn value(&self, signal: &Signal) -> Option<Value> {
        match self {
            Self::Entity(kind) => {
                let entity = signal.entities.iter().find(|entity| entity.kind == *kind)?;
                is_segment(&entity.id).then(|| Value::from(entity.id.as_str()))
            }
            Self::Label(name) => signal
                .labels
                .get(name)
                .map(|text| Value::from(text.as_str())),
            Self::IntegerLabel(name) => {
                let number: i64 = signal.labels.get(name)?.parse().ok()?;
                Some(Value::from(number))
            }
            Self::AmountAtRisk => Some(Value::from(signal.amount_at_risk.as_ref()?.minor_units)),
            Self::Currency => {
                let money = signal.amount_at_risk.as_ref()?;
                Some(Value::from(money.currency.as_str()))
            }
        }
    }
}

/// An empty segment or a dot segment would be another path.
fn is_segment(value: &str) -> bool {
    !value.is_empty() && !value.bytes().all(|b| b == b'.')
}

#[cfg(test)]
impl Playbook {
    /// Its reads for a signal that lacks nothing.
    pub(in crate::engine) fn sample_reads(&self) -> Vec<super::Read> {
        let values = self.sample_values();
        let reads = self.reads.iter().map(|read| read.render(&values));
        reads.collect()
    }

    /// As a signal would give them that lacks nothing.
    pub(in crate::engine) fn sample_values(&self) -> Values {
        let parameters = self.parameters.keys();
        Values {
            parameters: parameters
                .map(|name| (name.clone(), Value::from("x")))
                .collect(),
            given: BTreeMap::new(),
            facts: self
                .reads
                .iter()
                .flat_map(|read| {
                    let facts = read.facts.keys();
                    facts.map(|fact| (format!("{}.{fact}", read.name), Value::from("x")))
                })
                .collect(),
        }
    }
}
