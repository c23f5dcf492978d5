//! Conditions in a playbook's file, read strictly.

use agent::{Asked, FactCondition, Facts};
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::Value;

/// One value or a list of values.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(try_from = "toml::Value", bound = "T: DeserializeOwned")]
pub(super) struct Many<T>(pub(super) Vec<T>);

impl<T> Default for Many<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T: DeserializeOwned> TryFrom<toml::Value> for Many<T> {
    type Error = toml::de::Error;

    fn try_from(value: toml::Value) -> Result<Self, toml::de::Error> {
        let values = match value {
            toml::Value::Array(values) => values,
            one => vec![one],
        };
        let all = values.into_iter().map(toml::Value::try_into);
        all.collect::<Result<_, _>>().map(Self)
    }
}

/// A condition on a fact, with exactly one comparison.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(try_from = "ConditionInFile")]
pub(super) struct Condition(pub(super) FactCondition);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ConditionInFile {
    fact: String,
    is: Option<Vec<Value>>,
    is_not: Option<Vec<Value>>,
    same_as: Option<String>,
    differs_from: Option<String>,
    at_least: Option<i64>,
}

/// The reason why something is not a condition.
#[derive(Debug, thiserror::Error)]
pub(super) enum NoCondition {
    #[error("a condition asks exactly one of is, is_not, same_as, differs_from and at_least")]
    NotOne,
    #[error("a fact is compared with at least one text, number or truth value, and nothing else")]
    Values,
}

impl TryFrom<ConditionInFile> for Condition {
    type Error = NoCondition;

    fn try_from(file: ConditionInFile) -> Result<Self, NoCondition> {
        let ConditionInFile {
            fact,
            is,
            is_not,
            same_as,
            differs_from,
            at_least,
        } = file;
        let asked = match (is, is_not, same_as, differs_from, at_least) {
            (Some(values), None, None, None, None) => Asked::Is(scalars(values)?),
            (None, Some(values), None, None, None) => Asked::IsNot(scalars(values)?),
            (None, None, Some(other), None, None) => Asked::SameAs(other),
            (None, None, None, Some(other), None) => Asked::DiffersFrom(other),
            (None, None, None, None, Some(least)) => Asked::AtLeast(least),
            _ => return Err(NoCondition::NotOne),
        };
        Ok(Self(FactCondition { fact, asked }))
    }
}

fn scalars(values: Vec<Value>) -> Result<Vec<Value>, NoCondition> {
    let is_scalar = |value: &Value| value.is_string() || value.is_number() || value.is_boolean();
    if values.is_empty() || !values.iter().all(is_scalar) {
        return Err(NoCondition::Values);
    }
    Ok(values)
}

impl Condition {
    /// Returns the condition on a fact of one read, whose name the file omits. The other fact of a
    /// comparison may belong to another read, which the file names.
    pub(super) fn of_read(&self, read: &str) -> FactCondition {
        let qualified = |fact: &String| format!("{read}.{fact}");
        let other = |fact: &String| {
            if fact.contains('.') {
                fact.clone()
            } else {
                qualified(fact)
            }
        };
        let asked = match &self.0.asked {
            Asked::SameAs(fact) => Asked::SameAs(other(fact)),
            Asked::DiffersFrom(fact) => Asked::DiffersFrom(other(fact)),
            values => values.clone(),
        };
        FactCondition {
            fact: qualified(&self.0.fact),
            asked,
        }
    }
}

impl Many<Condition> {
    /// Returns whether all of them hold; none if that is unknown.
    pub(super) fn hold(&self, facts: &Facts) -> Option<bool> {
        let mut all = Some(true);
        for Condition(condition) in &self.0 {
            match condition.holds(facts) {
                Some(false) => return Some(false),
                Some(true) => {}
                None => all = None,
            }
        }
        all
    }

    /// Returns the names of their facts.
    pub(super) fn facts(&self) -> impl Iterator<Item = &str> {
        self.0.iter().flat_map(|Condition(one)| one.facts())
    }
}
