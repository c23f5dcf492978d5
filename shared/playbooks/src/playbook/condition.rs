//! Conditions in a playbook's file, read strictly, and flaws in words.

use agent::check::{Expectation, FactCondition, Facts};
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Map, Value};

use super::period::Period;

#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(try_from = "Value", bound = "T: DeserializeOwned")]
pub(super) struct Many<T>(pub(super) Vec<T>);

impl<T> Default for Many<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T: DeserializeOwned> TryFrom<Value> for Many<T> {
    type Error = serde_json::Error;

    fn try_from(value: Value) -> Result<Self, serde_json::Error> {
        let values = match value {
            Value::Array(values) => values,
            value => vec![value],
        };
        let conditions = values
            .into_iter()
            .map(serde_json::from_value);
        conditions
            .collect::<Result<_, _>>()
            .map(Self)
    }
}

/// A condition on a fact, with exactly one comparison and perhaps the sentence that says it.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(try_from = "Map<String, Value>")]
pub(super) struct Condition(pub(super) FactCondition);

/// The comparisons of a condition.
const EXPECTED: [&str; 9] = [
    "is",
    "is_not",
    "same_as",
    "differs_from",
    "at_least",
    "at_most",
    "is_due",
    "since_at_least",
    "since_at_most",
];

impl TryFrom<Map<String, Value>> for Condition {
    type Error = String;

    fn try_from(mut table: Map<String, Value>) -> Result<Self, String> {
        const OTHERS: [&str; 3] = ["fact", "says", "unit"];
        let is_known = |name: &str| OTHERS.contains(&name) || EXPECTED.contains(&name);
        if let Some(name) = table
            .keys()
            .find(|name| !is_known(name))
        {
            return Err(format!("unknown field {name:?} of a condition"));
        }
        let comparisons = table
            .keys()
            .filter(|name| EXPECTED.contains(&name.as_str()));
        if comparisons.count() != 1 {
            let expected = EXPECTED.join(", ");
            return Err(format!("a condition asks exactly one of {expected}"));
        }
        let is_size = table.contains_key("at_least") || table.contains_key("at_most");
        if is_size != table.contains_key("unit") {
            return Err("at_least and at_most have a unit, and nothing else has one".to_owned());
        }
        for name in ["since_at_least", "since_at_most"] {
            if let Some(period) = table.get_mut(name) {
                let read: Result<Period, _> = serde_json::from_value(period.take());
                *period = read
                    .map_err(|error| error.to_string())?
                    .0
                    .into();
            }
        }
        let condition = serde_json::from_value(Value::Object(table));
        let condition: FactCondition = condition.map_err(|error| error.to_string())?;
        if let Expectation::Is(values) | Expectation::IsNot(values) = &condition.expected
            && (values.is_empty() || !values.iter().all(is_scalar))
        {
            let flaw = "a fact is compared with at least one text, number or truth value";
            return Err(flaw.to_owned());
        }
        Ok(Self(condition))
    }
}

pub(super) const NO_PATH: &str =
    "a path begins with a slash, and a placeholder of it is a whole segment";

/// Returns the first flaw that is there, after its subject.
pub(super) fn none_of<const N: usize>(
    subject: &str,
    flaws: [(bool, &str); N],
) -> Result<(), String> {
    let flaw = flaws
        .into_iter()
        .find(|(is_there, _)| *is_there);
    flaw.map_or(Ok(()), |(_, flaw)| Err(format!("{subject}{flaw}")))
}

pub(super) fn is_scalar(value: &Value) -> bool {
    value.is_string() || value.is_number() || value.is_boolean()
}

impl Condition {
    /// Returns the condition on a fact of one read, whose name the file omits. The other fact of a
    /// comparison may belong to another read, which the file names.
    pub(super) fn of_read(&self, read: &str) -> FactCondition {
        let other = |fact: &String| {
            let own = fact.contains('.').then(|| fact.clone());
            own.unwrap_or_else(|| format!("{read}.{fact}"))
        };
        let expected = match &self.0.expected {
            Expectation::SameAs(fact) => Expectation::SameAs(other(fact)),
            Expectation::DiffersFrom(fact) => Expectation::DiffersFrom(other(fact)),
            values => values.clone(),
        };
        FactCondition {
            fact: other(&self.0.fact),
            expected,
            ..self.0.clone()
        }
    }
}

impl Many<Condition> {
    /// Returns whether all of them hold; none if that is unknown.
    pub(super) fn hold(&self, facts: &Facts) -> Option<bool> {
        let each = || {
            self.0
                .iter()
                .map(|Condition(condition)| condition.holds(facts))
        };
        if each().any(|holds| holds == Some(false)) {
            return Some(false);
        }
        each()
            .all(|holds| holds.is_some())
            .then_some(true)
    }

    pub(super) fn facts(&self) -> impl Iterator<Item = &str> {
        self.each()
            .flat_map(FactCondition::facts)
    }

    pub(super) fn each(&self) -> impl Iterator<Item = &FactCondition> {
        self.0
            .iter()
            .map(|Condition(condition)| condition)
    }

    pub(super) fn conditions(&self) -> Vec<FactCondition> {
        self.each().cloned().collect()
    }
}
