//! What a signal gives for the placeholders of its playbook.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;
use shared::model::Signal;

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

/// The values of a playbook's parameters for one signal.
#[derive(Debug)]
pub(in crate::engine) struct Values {
    /// With their types, for paths and bodies.
    parameters: BTreeMap<String, Value>,
    /// Texts for people.
    given: BTreeMap<&'static str, String>,
}

impl Values {
    /// A text or a parameter's value as a text.
    pub(super) fn plain(&self, name: &str) -> Option<String> {
        if let Some(text) = self.given.get(name) {
            return Some(text.clone());
        }
        self.parameters.get(name).cloned().map(plain)
    }

    /// The value of a parameter, with its type.
    pub(super) fn parameter(&self, name: &str) -> Option<Value> {
        self.parameters.get(name).cloned()
    }

    /// A text for people, in which what is missing is called unknown.
    pub(in crate::engine) fn text(&self, template: &Template) -> String {
        template
            .render(|name| {
                let missing = || format!("(unknown {})", name.replace('_', " "));
                Some(self.plain(name).unwrap_or_else(missing))
            })
            .unwrap_or_default()
    }

    /// A path, in which a value cannot leave its segment.
    pub(super) fn path(&self, template: &Template) -> Result<String, Missing> {
        template.render(|name| {
            let value = self.parameter(name)?;
            Some(segment(&plain(value)))
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
        Values { parameters, given }
    }
}

impl Source {
    fn value(&self, signal: &Signal) -> Option<Value> {
        match self {
            Self::Entity(kind) => {
                let entity = signal.entities.iter().find(|entity| entity.kind == *kind)?;
                // An empty segment or a dot segment would be another path.
                let is_usable = !entity.id.is_empty() && !entity.id.bytes().all(|b| b == b'.');
                is_usable.then(|| Value::from(entity.id.as_str()))
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

#[cfg(test)]
impl Playbook {
    /// As a signal would give them that lacks nothing.
    pub(in crate::engine) fn sample_values(&self) -> Values {
        let parameters = self.parameters.keys();
        Values {
            parameters: parameters
                .map(|name| (name.clone(), Value::from("x")))
                .collect(),
            given: BTreeMap::new(),
        }
    }
}
