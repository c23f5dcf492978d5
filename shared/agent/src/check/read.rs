//! Reads of target systems, and the facts that they return.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::connection::{
    ApiCall, ReadingOf, minor_units,
    values::{exact, same},
};

/// A rendered read of a target system, which changes nothing.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TargetRead {
    /// Name of the read. The names of its facts begin with it.
    pub name: String,
    /// The connection through which it is sent.
    pub connection: String,
    /// The path below the system's base URL, percent-encoded.
    pub path: String,
    /// Members of the query.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub query: BTreeMap<String, String>,
    /// The JSON pointer (RFC 6901) of each fact in the answer, by the fact's name.
    pub facts: BTreeMap<String, String>,
    /// Values of facts that an answer lacks, by their names.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub absent: BTreeMap<String, Value>,
    #[serde(flatten)]
    pub derived: Derived,
}

/// The facts of a read that are more than a value of its answer.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Derived {
    /// Values of facts for which an answer gives null: the system says that there is none.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub nulls: BTreeMap<String, Value>,
    /// Sums of facts of this read.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub sums: BTreeMap<String, Sum>,
    /// Facts over the rows of a list.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub lists: BTreeMap<String, ListFact>,
    /// The sign of a whole list. Without all rows, nothing is known of the list.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub whole: Option<WholeList>,
    /// Facts that are instants.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub times: Vec<String>,
    /// Facts that are amounts in the currency's smallest unit.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub amounts: Vec<String>,
    /// The fact with the currency. It is read in upper case.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub currency: Option<String>,
}

/// A sum of facts of one read, such as `due - paid - credited`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Sum(Vec<Term>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Term {
    is_subtracted: bool,
    fact: String,
}

/// A number of rows of a list, or a sum over them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ListFact {
    /// The JSON pointer of the list.
    pub at: String,
    /// The rows that count: values by JSON pointers into the row. Every row counts if there is
    /// none.
    #[serde(default, rename = "where", skip_serializing_if = "BTreeMap::is_empty")]
    pub only: BTreeMap<String, Vec<Value>>,
    /// The JSON pointer of the summand in a row. Without it, the rows are counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sum: Option<String>,
    /// The JSON pointer of a value that all counted rows share, such as their currency.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alike: Option<String>,
}

/// The sign of an answer that has all rows of its list.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WholeList {
    /// The JSON pointer of the value.
    pub at: String,
    /// The values of a whole list. A missing value and null are [`NONE`](Self::NONE).
    pub is: Vec<Value>,
}

impl WholeList {
    /// The value of a member that is missing or null.
    pub const NONE: &'static str = "none";

    fn holds(&self, answer: &Value) -> bool {
        let member = answer
            .pointer(&self.at)
            .filter(|value| !value.is_null());
        let member = member
            .cloned()
            .unwrap_or_else(|| Self::NONE.into());
        self.is
            .iter()
            .any(|value| same(value, &member))
    }
}

impl TargetRead {
    /// The most characters of a text fact. A longer text is no state, amount or id, and a cut one
    /// could be mistaken for another value.
    pub const LONGEST_FACT: usize = 1_000;
    /// The fact with the instant of the read, in milliseconds since 1970. A read with instants has
    /// it.
    pub const AT: &'static str = "at";

    /// Returns the facts of an answer. They are texts of up to [`LONGEST_FACT`](Self::LONGEST_FACT)
    /// characters, numbers that the table can hold, and booleans. A fact that the answer does not
    /// give is unknown.
    pub fn facts(&self, answer: &Value, reading: ReadingOf) -> Facts {
        let mut facts: BTreeMap<&str, Value> = BTreeMap::new();
        for (name, pointer) in self
            .facts
            .iter()
            .filter(|(name, _)| !self.is_amount(name))
        {
            let value = self.fact(name, pointer, answer);
            facts.extend(value.map(|value| (name.as_str(), value)));
        }
        let currency = self.derived.currency.as_deref();
        let currency = currency.and_then(|name| facts.get(name)?.as_str());
        let currency = currency.unwrap_or_default();
        let amount = |value: &Value| minor_units(value, currency, reading.kind, reading.amounts?);
        let mut amounts: BTreeMap<&str, Value> = BTreeMap::new();
        for (name, pointer) in self
            .facts
            .iter()
            .filter(|(name, _)| self.is_amount(name))
        {
            let value = match self.given(name, pointer, answer) {
                Given::Value(value) => amount(value).map(Value::from),
                Given::Stated(value) => Some(value.clone()),
                Given::Nothing => None,
            };
            amounts.extend(value.map(|value| (name.as_str(), value)));
        }
        let is_whole = self
            .derived
            .whole
            .as_ref()
            .is_none_or(|whole| whole.holds(answer));
        for (name, list) in self
            .derived
            .lists
            .iter()
            .filter(|_| is_whole)
        {
            let number = if self.is_amount(name) {
                list.of(answer, amount)
            } else {
                list.of(answer, whole_number)
            };
            amounts.extend(number.map(|number| (name.as_str(), number.into())));
        }
        facts.extend(amounts);
        for (name, sum) in &self.derived.sums {
            facts.extend(
                sum.of(&facts)
                    .map(|number| (name.as_str(), number.into())),
            );
        }
        if !self.derived.times.is_empty() {
            facts.insert(Self::AT, reading.at.millis().into());
        }
        let named = facts.into_iter();
        named
            .map(|(name, value)| (format!("{}.{name}", self.name), value))
            .collect()
    }

    fn is_amount(&self, name: &str) -> bool {
        self.derived
            .amounts
            .iter()
            .any(|amount| amount == name)
    }

    fn given<'a>(&'a self, name: &str, pointer: &str, answer: &'a Value) -> Given<'a> {
        let stated = match answer.pointer(pointer) {
            Some(Value::Null) => self
                .derived
                .nulls
                .get(name)
                .or_else(|| self.absent.get(name)),
            Some(value) => return Given::Value(value),
            None => self.absent.get(name),
        };
        stated.map_or(Given::Nothing, Given::Stated)
    }

    fn fact(&self, name: &str, pointer: &str, answer: &Value) -> Option<Value> {
        let value = match self.given(name, pointer, answer) {
            Given::Value(value) | Given::Stated(value) => fact(value)?,
            Given::Nothing => return None,
        };
        if self.derived.currency.as_deref() == Some(name) {
            return value
                .as_str()
                .map(|code| code.to_ascii_uppercase().into());
        }
        Some(value)
    }
}

/// The value of a member of an answer.
enum Given<'a> {
    /// The answer has it.
    Value(&'a Value),
    /// The answer lacks it, and the read has a value for this case.
    Stated(&'a Value),
    Nothing,
}

impl ListFact {
    /// Returns the number of rows that count, or the sum over them. None if a row does not tell.
    fn of(&self, answer: &Value, number: impl Fn(&Value) -> Option<i64>) -> Option<i64> {
        let rows = answer.pointer(&self.at)?.as_array()?;
        let mut counted: i64 = 0;
        let mut common: Option<&Value> = None;
        for row in rows {
            if !self.counts(row)? {
                continue;
            }
            if let Some(pointer) = &self.alike {
                let value = row.pointer(pointer)?;
                if common.is_some_and(|common| !same(common, value)) {
                    return None;
                }
                common = Some(value);
            }
            let summand = match &self.sum {
                Some(pointer) => number(row.pointer(pointer)?)?,
                None => 1,
            };
            counted = counted.checked_add(summand)?;
        }
        Some(counted)
    }

    /// Returns whether a row counts; none if it lacks a member.
    fn counts(&self, row: &Value) -> Option<bool> {
        for (pointer, values) in &self.only {
            let member = row
                .pointer(pointer)
                .filter(|value| !value.is_null())?;
            if !values
                .iter()
                .any(|value| same(value, member))
            {
                return Some(false);
            }
        }
        Some(true)
    }
}

impl Sum {
    /// Returns the names of its facts.
    pub fn facts(&self) -> impl Iterator<Item = &str> {
        self.0
            .iter()
            .map(|term| term.fact.as_str())
    }

    fn of(&self, facts: &BTreeMap<&str, Value>) -> Option<i64> {
        self.0
            .iter()
            .try_fold(0_i64, |sum, term| {
                let number = whole_number(facts.get(term.fact.as_str())?)?;
                if term.is_subtracted {
                    sum.checked_sub(number)
                } else {
                    sum.checked_add(number)
                }
            })
    }
}

impl TryFrom<String> for Sum {
    type Error = String;

    /// Reads `due - paid - credited`: facts with `+` or `-` between them.
    fn try_from(text: String) -> Result<Self, String> {
        let flawed = || format!("{text:?} is no sum such as \"due - paid - credited\"");
        let mut terms = Vec::new();
        let mut is_subtracted = false;
        for (place, word) in text.split(' ').enumerate() {
            match (place % 2, word) {
                (1, "+") => is_subtracted = false,
                (1, "-") => is_subtracted = true,
                (0, fact) if !fact.is_empty() => terms.push(Term {
                    is_subtracted,
                    fact: fact.to_owned(),
                }),
                _ => return Err(flawed()),
            }
        }
        let ends_with_fact = text.split(' ').count() % 2 == 1;
        if terms.len() < 2 || !ends_with_fact {
            return Err(flawed());
        }
        Ok(Self(terms))
    }
}

impl From<Sum> for String {
    fn from(sum: Sum) -> Self {
        let mut text = Self::new();
        for (place, term) in sum.0.iter().enumerate() {
            if place > 0 {
                text.push_str(if term.is_subtracted { " - " } else { " + " });
            }
            text.push_str(&term.fact);
        }
        text
    }
}

fn fact(value: &Value) -> Option<Value> {
    match value {
        Value::String(text) => {
            let is_short = text
                .chars()
                .nth(TargetRead::LONGEST_FACT)
                .is_none();
            is_short.then(|| value.clone())
        }
        Value::Number(number) => exact(number).map(Value::Number),
        Value::Bool(_) => Some(value.clone()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

fn whole_number(value: &Value) -> Option<i64> {
    match value {
        Value::Number(number) => exact(number)?.as_i64(),
        _ => None,
    }
}

/// The known facts of records, by `read.fact`.
pub type Facts = BTreeMap<String, Value>;

pub fn read_of(fact: &str) -> &str {
    fact.split_once('.')
        .map_or(fact, |(read, _)| read)
}

impl TargetRead {
    pub fn call(&self) -> ApiCall {
        ApiCall {
            query: self.query.clone(),
            ..ApiCall::get(&self.path)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::connection::{Amounts, SystemKind};
    use model::base::Timestamp;
    use serde_json::json;

    fn at() -> ReadingOf {
        ReadingOf {
            at: Timestamp::from_millis(1_800_000_000_000),
            kind: SystemKind::Billing,
            amounts: Some(Amounts::Minor),
        }
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
            json!(read().facts(
                &json!({"state": "open", "money": {"due": 5}, "late": null}),
                at()
            )),
            json!({"invoice.due": 5, "invoice.state": "open"})
        );
        assert_eq!(read().facts(&json!([]), at()), Facts::default());
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
            let facts = read.facts(&answer, at());
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
            let facts = read().facts(&json!({ "state": text }), at());
            assert_eq!(facts.contains_key("invoice.state"), is_known, "{more}");
        }
    }

    fn derived(derived: &Value) -> TargetRead {
        let read = json!({
            "name": "a", "connection": "b", "path": "/c",
            "facts": {"due": "/due", "paid": "/paid", "currency": "/currency", "retry": "/retry"},
        });
        let mut read = read.as_object().unwrap().clone();
        read.extend(derived.as_object().unwrap().clone());
        serde_json::from_value(read.into()).unwrap()
    }

    #[test]
    fn a_sum_is_known_if_all_of_its_facts_are_whole_numbers() {
        let read = derived(&json!({"sums": {"open": "due - paid"}}));
        for (answer, open) in [
            (json!({"due": 231, "paid": 200}), Some(31)),
            (json!({"due": 231.0, "paid": 250}), Some(-19)),
            (json!({"due": 231}), None),
            (json!({"due": 231, "paid": "200"}), None),
            (json!({"due": 231, "paid": 0.5}), None),
            (json!({"due": i64::MIN, "paid": 1}), None),
        ] {
            let facts = read.facts(&answer, at());
            let fact = facts
                .get("a.open")
                .and_then(Value::as_i64);
            assert_eq!(fact, open, "{answer}");
        }
        for no_sum in ["due", "due -", "- due", "due * paid", "due  - paid", ""] {
            assert!(Sum::try_from(no_sum.to_owned()).is_err(), "{no_sum:?}");
        }
        let sum = "a - b + c".to_owned();
        assert_eq!(String::from(Sum::try_from(sum.clone()).unwrap()), sum);
    }

    #[test]
    fn a_list_tells_if_all_of_its_rows_are_there_and_do() {
        let taken = json!({"at": "/data", "where": {"/state": ["succeeded"]}, "sum": "/amount",
            "alike": "/currency"});
        let pending = json!({"at": "/data", "where": {"/state": ["processing"]}});
        let read = derived(&json!({
            "lists": {"taken": taken, "pending": pending},
            "whole": {"at": "/next", "is": ["none"]},
        }));
        let row = |state: &str, amount: i64, currency: &str| json!({"state": state, "amount": amount, "currency": currency});
        let usd = [
            row("succeeded", 30, "usd"),
            row("failed", 5, "eur"),
            row("succeeded", 12, "usd"),
        ];
        for (answer, taken, pending) in [
            (json!({"data": usd}), Some(42), Some(0)),
            (json!({"data": usd, "next": null}), Some(42), Some(0)),
            (json!({"data": []}), Some(0), Some(0)),
            // There are further pages.
            (json!({"data": usd, "next": "row_4"}), None, None),
            // Two currencies make no sum.
            (
                json!({"data": [usd[0], row("succeeded", 1, "eur")]}),
                None,
                Some(0),
            ),
            (json!({"data": [{"state": "succeeded"}]}), None, Some(0)),
            (json!({"data": [{"amount": 5}]}), None, None),
            (json!({"data": {}}), None, None),
            (json!({}), None, None),
        ] {
            let facts = read.facts(&answer, at());
            let fact = |name: &str| facts.get(name).and_then(Value::as_i64);
            assert_eq!(
                (fact("a.taken"), fact("a.pending")),
                (taken, pending),
                "{answer}"
            );
        }
    }

    #[test]
    fn null_says_more_than_a_missing_member() {
        let read = derived(&json!({"nulls": {"retry": "none"}, "currency": "currency"}));
        let facts = read.facts(&json!({"retry": null, "currency": "usd"}), at());
        assert_eq!(
            json!(facts),
            json!({"a.retry": "none", "a.currency": "USD"})
        );
        assert!(read.facts(&json!({}), at()).is_empty());
        let read = derived(&json!({"times": ["due"]}));
        assert_eq!(read.facts(&json!({}), at())["a.at"], at().at.millis());
    }

    #[test]
    fn an_amount_in_the_main_unit_is_converted_exactly() {
        let taken = json!({"at": "/data", "sum": "/amount"});
        let read = derived(&json!({
            "amounts": ["due", "paid", "taken"], "currency": "currency",
            "sums": {"open": "due - paid"}, "lists": {"taken": taken},
        }));
        let main = ReadingOf {
            amounts: Some(Amounts::Main),
            ..at()
        };
        let answer = json!({"due": "70.15", "paid": 70, "currency": "usd", "data": [{"amount": 0.1}, {"amount": "0.2"}]});
        let facts = read.facts(&answer, main);
        let amounts =
            ["due", "paid", "open", "taken"].map(|name| facts[&format!("a.{name}")].clone());
        assert_eq!(json!(amounts), json!([7015, 7000, 15, 30]));
        // Without a unit, and without a currency, no amount is known.
        let unknown = ReadingOf {
            amounts: None,
            ..at()
        };
        let facts = read.facts(&answer, unknown);
        assert_eq!(json!(facts), json!({"a.currency": "USD"}));
        let facts = read.facts(&json!({"due": 5, "paid": 5}), at());
        assert!(facts.is_empty(), "{facts:?}");
    }
}
