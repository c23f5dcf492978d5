//! Conditions on facts.

use model::base::{Timestamp, span};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    check::{Facts, TargetRead, read_of},
    connection::values::{any, exact, same},
};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FactCondition {
    /// The fact's name, as `read.fact`.
    pub fact: String,
    #[serde(flatten)]
    pub expected: Expectation,
    /// The unit of a size, such as `minutes`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
    /// A sentence for people that says the condition.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub says: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Expectation {
    Is(Vec<Value>),
    IsNot(Vec<Value>),
    /// Equals another fact.
    SameAs(String),
    DiffersFrom(String),
    AtLeast(i64),
    AtMost(i64),
    /// True: the instant had passed when it was read. False: it was still to come.
    IsDue(bool),
    /// At least so many milliseconds had passed since the instant when it was read.
    SinceAtLeast(i64),
    SinceAtMost(i64),
}

impl FactCondition {
    pub const fn new(fact: String, expected: Expectation) -> Self {
        Self {
            fact,
            expected,
            unit: None,
            says: None,
        }
    }

    /// Creates the condition that a fact has a value.
    pub fn is(fact: impl Into<String>, value: impl Into<Value>) -> Self {
        Self::new(fact.into(), Expectation::Is(vec![value.into()]))
    }

    /// Returns whether it holds; none if one of its facts is unknown.
    pub fn holds(&self, facts: &Facts) -> Option<bool> {
        let fact = facts.get(&self.fact)?;
        let is_any = |values: &[Value]| {
            values
                .iter()
                .any(|value| same(value, fact))
        };
        let age = || {
            let read_at = format!("{}.{}", read_of(&self.fact), TargetRead::AT);
            let at = facts.get(&read_at)?.as_i64()?;
            at.checked_sub(instant(fact)?)
        };
        Some(match &self.expected {
            Expectation::Is(values) => is_any(values),
            Expectation::IsNot(values) => !is_any(values),
            Expectation::SameAs(other) => same(facts.get(other)?, fact),
            Expectation::DiffersFrom(other) => !same(facts.get(other)?, fact),
            Expectation::AtLeast(least) => reaches(fact, *least)?,
            Expectation::AtMost(most) => !reaches(fact, most.checked_add(1)?)?,
            Expectation::IsDue(is_due) => (age()? >= 0) == *is_due,
            Expectation::SinceAtLeast(least) => age()? >= *least,
            Expectation::SinceAtMost(most) => (0..=*most).contains(&age()?),
        })
    }

    /// Returns the facts that it names.
    pub fn facts(&self) -> impl Iterator<Item = &str> {
        let other = match &self.expected {
            Expectation::SameAs(other) | Expectation::DiffersFrom(other) => Some(other.as_str()),
            _ => None,
        };
        std::iter::once(self.fact.as_str()).chain(other)
    }

    /// True if it asks for an instant.
    pub const fn asks_for_time(&self) -> bool {
        matches!(
            self.expected,
            Expectation::IsDue(_) | Expectation::SinceAtLeast(_) | Expectation::SinceAtMost(_)
        )
    }

    /// Returns it in words: ``invoice.state is `draft` or `open` ``.
    pub fn says(&self) -> String {
        let unit = self
            .unit
            .as_ref()
            .map(|unit| format!(" {unit}"));
        let unit = unit.unwrap_or_default();
        let hours = |millis: &i64| format!("{} hours", millis / span::HOUR);
        let expected = match &self.expected {
            Expectation::Is(values) => format!("is {}", any(values)),
            Expectation::IsNot(values) => format!("is not {}", any(values)),
            Expectation::SameAs(other) => format!("is the same as {other}"),
            Expectation::DiffersFrom(other) => format!("differs from {other}"),
            Expectation::AtLeast(least) => format!("is at least {least}{unit}"),
            Expectation::AtMost(most) => format!("is at most {most}{unit}"),
            Expectation::IsDue(true) => "has passed".to_owned(),
            Expectation::IsDue(false) => "is still to come".to_owned(),
            Expectation::SinceAtLeast(least) => format!("is at least {} ago", hours(least)),
            Expectation::SinceAtMost(most) => format!("is at most {} ago", hours(most)),
        };
        format!("{} {expected}", self.fact)
    }

    /// Returns its sentence for people; without one, the condition in words.
    pub fn sentence(&self) -> String {
        self.says
            .clone()
            .unwrap_or_else(|| self.says())
    }
}

/// Returns an instant in milliseconds since 1970: of seconds, of milliseconds, of RFC 3339, or of a
/// date, which begins at midnight UTC.
fn instant(fact: &Value) -> Option<i64> {
    /// The first number that stands for milliseconds: as seconds, it would be in the year 5138.
    const MILLISECONDS: i64 = 100_000_000_000;
    match fact {
        Value::Number(number) => {
            let number = exact(number)?.as_i64()?;
            let is_seconds = number < MILLISECONDS;
            if is_seconds {
                number.checked_mul(span::SECOND)
            } else {
                Some(number)
            }
        }
        Value::String(text) => {
            let of_date = || format!("{text}T00:00:00Z").parse::<Timestamp>();
            let at = text
                .parse::<Timestamp>()
                .or_else(|_| of_date());
            at.ok().map(Timestamp::millis)
        }
        _ => None,
    }
}

/// Returns whether a number is of at least a size; none for another value.
fn reaches(fact: &Value, least: i64) -> Option<bool> {
    let Value::Number(number) = fact else {
        return None;
    };
    let number = exact(number)?;
    if let Some(whole) = number.as_i64() {
        return Some(whole >= least);
    }
    if number.is_u64() {
        return Some(true);
    }
    let below = number.as_f64()?.floor().to_string();
    below
        .parse()
        .ok()
        .map(|whole: i64| whole >= least)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn condition(text: Value) -> FactCondition {
        serde_json::from_value(text).unwrap()
    }

    #[test]
    fn a_condition_holds_or_not_or_is_not_known() {
        let facts: Facts = [
            ("invoice.state", json!("open")),
            ("invoice.due", json!(5.0)),
            ("invoice.late", json!(false)),
            ("invoice.whole", json!(7)),
            ("invoice.at", json!(1_800_000_000_000_i64)),
            ("invoice.due_at", json!(1_799_996_400)),
            ("invoice.due_on", json!("2027-01-20")),
            ("invoice.next", json!("2027-01-15T08:00:01Z")),
        ]
        .map(|(name, value)| (name.to_owned(), value))
        .into();
        let cases = [
            (
                json!({"fact": "invoice.state", "is": ["draft", "open"]}),
                Some(true),
            ),
            (json!({"fact": "invoice.state", "is": []}), Some(false)),
            (
                json!({"fact": "invoice.state", "is_not": ["paid"]}),
                Some(true),
            ),
            (
                json!({"fact": "invoice.state", "is_not": ["open"]}),
                Some(false),
            ),
            (json!({"fact": "invoice.due", "is": [5]}), Some(true)),
            (json!({"fact": "invoice.due", "is": ["5"]}), Some(false)),
            (json!({"fact": "invoice.late", "is": [false]}), Some(true)),
            (
                json!({"fact": "invoice.due", "same_as": "invoice.due"}),
                Some(true),
            ),
            (
                json!({"fact": "invoice.due", "differs_from": "invoice.due"}),
                Some(false),
            ),
            (
                json!({"fact": "invoice.due", "differs_from": "invoice.state"}),
                Some(true),
            ),
            (json!({"fact": "invoice.whole", "at_least": 7}), Some(true)),
            (json!({"fact": "invoice.whole", "at_least": 8}), Some(false)),
            (json!({"fact": "invoice.state", "at_least": 8}), None),
            (json!({"fact": "invoice.whole", "at_most": 7}), Some(true)),
            (json!({"fact": "invoice.whole", "at_most": 6}), Some(false)),
            (json!({"fact": "invoice.state", "at_most": 8}), None),
            // An hour ago.
            (
                json!({"fact": "invoice.due_at", "is_due": true}),
                Some(true),
            ),
            (
                json!({"fact": "invoice.due_at", "is_due": false}),
                Some(false),
            ),
            (
                json!({"fact": "invoice.due_at", "since_at_least": 3_600_000}),
                Some(true),
            ),
            (
                json!({"fact": "invoice.due_at", "since_at_least": 3_600_001}),
                Some(false),
            ),
            (
                json!({"fact": "invoice.due_at", "since_at_most": 3_600_000}),
                Some(true),
            ),
            (
                json!({"fact": "invoice.due_at", "since_at_most": 3_599_999}),
                Some(false),
            ),
            // Still to come.
            (
                json!({"fact": "invoice.due_on", "is_due": true}),
                Some(false),
            ),
            (json!({"fact": "invoice.next", "is_due": true}), Some(false)),
            (
                json!({"fact": "invoice.next", "since_at_most": 3_600_000}),
                Some(false),
            ),
            (json!({"fact": "invoice.state", "is_due": true}), None),
            (json!({"fact": "invoice.paid", "is_not": [1]}), None),
            (
                json!({"fact": "invoice.due", "same_as": "invoice.paid"}),
                None,
            ),
        ];
        for (expected, holds) in cases {
            let result = condition(expected.clone()).holds(&facts);
            assert_eq!(result, holds, "{expected}");
        }
    }

    #[test]
    fn a_condition_is_read_by_people() {
        for (expected, says) in [
            (
                json!({"fact": "i.s", "is": ["draft", "open"]}),
                "i.s is `draft` or `open`",
            ),
            (json!({"fact": "i.s", "is_not": [5]}), "i.s is not 5"),
            (json!({"fact": "i.s", "is_not": [""]}), "i.s is not empty"),
            (json!({"fact": "i.s", "at_least": 60}), "i.s is at least 60"),
            (
                json!({"fact": "i.s", "at_most": 14, "unit": "attempts"}),
                "i.s is at most 14 attempts",
            ),
            (json!({"fact": "i.s", "is_due": true}), "i.s has passed"),
            (
                json!({"fact": "i.s", "since_at_least": 259_200_000}),
                "i.s is at least 72 hours ago",
            ),
            (
                json!({"fact": "i.s", "same_as": "m.q"}),
                "i.s is the same as m.q",
            ),
            (
                json!({"fact": "i.s", "differs_from": "m.q"}),
                "i.s differs from m.q",
            ),
        ] {
            let condition = condition(expected.clone());
            assert_eq!(condition.says(), says);
            assert_eq!(json!(condition), expected);
        }
    }
}
