//! Reads of target systems, the facts that they return, and conditions on facts.

use crate::prelude::*;

/// A rendered read of a target system, which changes nothing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TargetRead {
    /// Name of the read. The names of its facts begin with it.
    pub name: String,
    /// The connection through which it is sent.
    pub connection: String,
    /// The path below the system's base URL, percent-encoded.
    pub path: String,
    /// The JSON pointer (RFC 6901) of each fact in the answer, by the fact's name.
    pub facts: BTreeMap<String, String>,
    /// Values of facts that an answer lacks, by their names.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub absent: BTreeMap<String, Value>,
}

impl TargetRead {
    /// The most characters of a text fact. A longer text is no state, amount or id, and a cut one
    /// could be mistaken for another value.
    pub const LONGEST_FACT: usize = 1_000;

    /// Returns the facts of an answer: texts of up to [`LONGEST_FACT`](Self::LONGEST_FACT) characters, numbers that the
    /// table can hold, and booleans. A missing value becomes its `absent` value; without one, the fact is unknown.
    pub fn facts(&self, answer: &Value) -> Facts {
        let given = self.facts.iter().filter_map(|(name, pointer)| {
            let found = answer.pointer(pointer).filter(|value| !value.is_null());
            let value = found.or_else(|| self.absent.get(name))?;
            Some((format!("{}.{name}", self.name), fact(value)?))
        });
        given.collect()
    }
}

fn fact(value: &Value) -> Option<Value> {
    match value {
        Value::String(text) => {
            let is_short = text.chars().nth(TargetRead::LONGEST_FACT).is_none();
            is_short.then(|| value.clone())
        }
        Value::Number(number) => exact(number).map(Value::Number),
        Value::Bool(_) => Some(value.clone()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

/// The largest size of a decimal number whose neighbours differ from it: 2^53 - 1. A larger one may
/// stand for another number, such as another id of more digits.
const MOST_EXACT: f64 = 9_007_199_254_740_991.0;

/// Returns a number as its value tells: `5000.0` and `5e3` are the integer 5000. None for a rounded
/// number, and for one beyond the table's range.
fn exact(number: &Number) -> Option<Number> {
    if number.is_i64() || number.is_u64() {
        return Some(number.clone());
    }
    let value = number.as_f64()?;
    if value.fract() == 0.0 && value.abs() <= MOST_EXACT {
        // The display of a whole number has no fraction.
        let whole: Result<i64, _> = value.to_string().parse();
        return whole.ok().map(Number::from);
    }
    let is_stored = (1e-120..=MOST_EXACT).contains(&value.abs());
    is_stored.then(|| number.clone())
}

/// The known facts of records, by `read.fact`.
pub type Facts = BTreeMap<String, Value>;

pub fn read_of(fact: &str) -> &str {
    fact.split_once('.').map_or(fact, |(read, _)| read)
}

/// Returns the reads that conditions need, each once.
pub fn reads_of<'a>(
    reads: impl IntoIterator<Item = &'a TargetRead>,
    conditions: impl IntoIterator<Item = &'a FactCondition>,
) -> Vec<TargetRead> {
    reads_with(reads, conditions, None)
}

/// Returns the reads that conditions and a further fact need, each once.
pub(crate) fn reads_with<'a>(
    reads: impl IntoIterator<Item = &'a TargetRead>,
    conditions: impl IntoIterator<Item = &'a FactCondition>,
    fact: Option<&'a str>,
) -> Vec<TargetRead> {
    let facts = conditions.into_iter().flat_map(FactCondition::facts);
    let named: BTreeSet<&str> = facts.chain(fact).map(read_of).collect();
    let reads = reads.into_iter();
    let needed = reads.filter(|read| named.contains(read.name.as_str()));
    needed.cloned().collect()
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FactCondition {
    /// The fact's name, as `read.fact`.
    pub fact: String,
    #[serde(flatten)]
    pub expected: Expectation,
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
}

impl FactCondition {
    /// Returns whether it holds; none if one of its facts is unknown.
    pub fn holds(&self, facts: &Facts) -> Option<bool> {
        let fact = facts.get(&self.fact)?;
        let is_any = |values: &[Value]| values.iter().any(|value| same(value, fact));
        Some(match &self.expected {
            Expectation::Is(values) => is_any(values),
            Expectation::IsNot(values) => !is_any(values),
            Expectation::SameAs(other) => same(facts.get(other)?, fact),
            Expectation::DiffersFrom(other) => !same(facts.get(other)?, fact),
            Expectation::AtLeast(least) => reaches(fact, *least)?,
        })
    }

    pub fn facts(&self) -> impl Iterator<Item = &str> {
        let other = match &self.expected {
            Expectation::SameAs(other) | Expectation::DiffersFrom(other) => Some(other.as_str()),
            Expectation::Is(_) | Expectation::IsNot(_) | Expectation::AtLeast(_) => None,
        };
        std::iter::once(self.fact.as_str()).chain(other)
    }

    /// Returns it in words: ``invoice.state is `draft` or `open` ``.
    pub fn says(&self) -> String {
        let expected = match &self.expected {
            Expectation::Is(values) => format!("is {}", any(values)),
            Expectation::IsNot(values) => format!("is not {}", any(values)),
            Expectation::SameAs(other) => format!("is the same as {other}"),
            Expectation::DiffersFrom(other) => format!("differs from {other}"),
            Expectation::AtLeast(least) => format!("is at least {least}"),
        };
        format!("{} {expected}", self.fact)
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AnswerCondition {
    /// The JSON pointer (RFC 6901) of the value.
    pub at: String,
    pub is: Vec<Value>,
    /// Values of a call under way, which is no failure.
    #[serde(default)]
    pub pending: Vec<Value>,
}

impl AnswerCondition {
    /// True if an answer meets it. A missing value does not.
    pub fn holds(&self, answer: &Value) -> bool {
        self.finds(&self.is, answer)
    }

    /// True if an answer has one of these values there.
    fn finds(&self, values: &[Value], answer: &Value) -> bool {
        let said = answer.pointer(&self.at);
        said.is_some_and(|said| values.iter().any(|value| same(value, said)))
    }

    /// True if an answer has another value there, and none for a call under way.
    pub(crate) fn is_denied(&self, answer: &Value) -> bool {
        answer.pointer(&self.at).is_some() && !self.holds(answer) && !self.is_pending(answer)
    }

    /// True if an answer says that the call is under way.
    pub(crate) fn is_pending(&self, answer: &Value) -> bool {
        self.finds(&self.pending, answer)
    }

    /// Returns it in words: ``/state is `paid` ``.
    pub fn says(&self) -> String {
        format!("{} is {}", self.at, any(&self.is))
    }
}

/// Returns a value for a sentence: a text in backticks, or `empty`.
pub(crate) fn quoted_value(value: &Value) -> String {
    match value {
        Value::String(text) => quoted(text),
        other => other.to_string(),
    }
}

/// Returns a text in backticks, so that its end is seen; `empty` for an empty one.
pub fn quoted(text: &str) -> String {
    if text.is_empty() {
        return "empty".to_owned();
    }
    format!("`{}`", text.replace('`', "'"))
}

/// Returns values in words: `` `draft` or `open` ``.
fn any(values: &[Value]) -> String {
    let values: Vec<String> = values.iter().map(quoted_value).collect();
    values.join(" or ")
}

/// The end of an alert's matter, by its playbook. The agent resolves the alert only when these
/// conditions were read as true after the last action.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ResolvedWhen {
    pub reads: Vec<TargetRead>,
    /// The conditions; all must hold.
    pub conditions: Vec<FactCondition>,
}

/// The check of an action's effect.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Verification {
    /// The condition on the action's reads that shows the effect.
    pub effective: FactCondition,
    /// The condition that the amount found is the approved one; none for an action without an amount.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub amount: Option<FactCondition>,
    /// Time that the effect may take after the action's end, in milliseconds.
    pub within: i64,
}

impl Verification {
    pub fn conditions(&self) -> impl Iterator<Item = &FactCondition> {
        std::iter::once(&self.effective).chain(&self.amount)
    }
}

/// The check of an unclear call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Reconciliation {
    /// The condition on the action's reads for a call that took effect.
    pub done: FactCondition,
    /// The condition for a call that took no effect. None if no check proves that, since the effect may still come.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_done: Option<FactCondition>,
    /// The condition of a call that is under way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pending: Option<FactCondition>,
    /// The condition of a call that has failed after it was under way. It shows nothing while the
    /// system has not said so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refused: Option<FactCondition>,
    /// Time that a call may be under way after the action's end, in milliseconds. Twelve hours if none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub within: Option<i64>,
    /// A fact that changes with each try of the call, such as a number of attempts. Its value from before the
    /// call is compared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mark: Option<String>,
}

impl Reconciliation {
    /// Creates a reconciliation that only finds the effect of a call.
    pub const fn by(done: FactCondition) -> Self {
        Self {
            done,
            not_done: None,
            pending: None,
            refused: None,
            within: None,
            mark: None,
        }
    }

    pub fn conditions(&self) -> impl Iterator<Item = &FactCondition> {
        let others = [&self.not_done, &self.pending, &self.refused];
        std::iter::once(&self.done).chain(others.into_iter().flatten())
    }

    pub fn mark(&self) -> Option<&str> {
        self.mark.as_deref()
    }
}

pub(crate) fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// Compares values. Numbers are equal by value: systems write 5 as 5.0 too. A rounded number equals nothing.
fn same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => {
            let (one, other) = (exact(one), exact(other));
            one.is_some() && one == other
        }
        _ => one == other,
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
    below.parse().ok().map(|whole: i64| whole >= least)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn condition(text: Value) -> FactCondition {
        serde_json::from_value(text).unwrap()
    }

    fn read() -> TargetRead {
        serde_json::from_value(json!({
            "name": "invoice", "connection": "billing", "path": "/invoices/inv_1",
            "facts": {"state": "/state", "due": "/money/due", "late": "/late", "whole": "/whole"},
        }))
        .unwrap()
    }

    #[test]
    fn an_answer_gives_the_facts_that_it_has() {
        assert_eq!(
            json!(read().facts(&json!({"state": "open", "money": {"due": 5}, "late": null}))),
            json!({"invoice.due": 5, "invoice.state": "open"})
        );
        assert_eq!(read().facts(&json!([])), Facts::default());
    }

    #[test]
    fn what_an_answer_lacks_is_what_the_read_says_of_that() {
        let absent = [("state".to_owned(), json!("none"))].into();
        let read = TargetRead { absent, ..read() };
        for (answer, state) in [
            (json!({}), Some(json!("none"))),
            (json!({"state": null}), Some(json!("none"))),
            (json!({"state": "open"}), Some(json!("open"))),
            // An object is a value, but no fact.
            (json!({"state": {"name": "open"}}), None),
        ] {
            let facts = read.facts(&answer);
            assert_eq!(facts.get("invoice.state"), state.as_ref(), "{answer}");
            assert_eq!(facts.get("invoice.due"), None);
        }
        let stored = json!({
            "name": "a", "connection": "b", "path": "/c", "facts": {"d": "/e"},
        });
        let old: TargetRead = serde_json::from_value(stored.clone()).unwrap();
        assert_eq!(json!(old), stored);
    }

    #[test]
    fn a_text_that_is_too_long_is_no_fact() {
        for (more, is_known) in [(0, true), (1, false)] {
            let text = "ü".repeat(TargetRead::LONGEST_FACT + more);
            let facts = read().facts(&json!({ "state": text }));
            assert_eq!(facts.contains_key("invoice.state"), is_known, "{more}");
        }
    }

    #[test]
    fn a_condition_holds_or_not_or_is_not_known() {
        let answer = json!({"state": "open", "money": {"due": 5.0}, "late": false, "whole": 7});
        let facts = read().facts(&answer);
        #[rustfmt::skip] // A line each.
        let cases = [
            (json!({"fact": "invoice.state", "is": ["draft", "open"]}), Some(true)),
            (json!({"fact": "invoice.state", "is": []}), Some(false)),
            (json!({"fact": "invoice.state", "is_not": ["paid"]}), Some(true)),
            (json!({"fact": "invoice.state", "is_not": ["open"]}), Some(false)),
            (json!({"fact": "invoice.due", "is": [5]}), Some(true)),
            (json!({"fact": "invoice.due", "is": ["5"]}), Some(false)),
            (json!({"fact": "invoice.late", "is": [false]}), Some(true)),
            (json!({"fact": "invoice.due", "same_as": "invoice.due"}), Some(true)),
            (json!({"fact": "invoice.due", "differs_from": "invoice.due"}), Some(false)),
            (json!({"fact": "invoice.due", "differs_from": "invoice.state"}), Some(true)),
            (json!({"fact": "invoice.whole", "at_least": 7}), Some(true)),
            (json!({"fact": "invoice.whole", "at_least": 8}), Some(false)),
            (json!({"fact": "invoice.state", "at_least": 8}), None),
            (json!({"fact": "invoice.paid", "is_not": [1]}), None),
            (json!({"fact": "invoice.due", "same_as": "invoice.paid"}), None),
        ];
        for (expected, holds) in cases {
            let found = condition(expected.clone()).holds(&facts);
            assert_eq!(found, holds, "{expected}");
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

    #[test]
    fn an_answer_that_says_nothing_is_no_success() {
        let paid = AnswerCondition {
            at: "/invoice/state".into(),
            is: vec![json!("paid")],
            pending: Vec::new(),
        };
        assert!(paid.holds(&json!({"invoice": {"state": "paid"}})));
        assert_eq!(paid.says(), "/invoice/state is `paid`");
        for other in [
            json!({"invoice": {"state": "open"}}),
            json!({}),
            json!("paid"),
        ] {
            assert!(!paid.holds(&other), "{other}");
        }
    }
}
