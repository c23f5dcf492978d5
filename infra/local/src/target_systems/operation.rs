//! Operations of target systems.

use http::Method;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{
    call::{Answer, Request},
    records::{Kinds, Record, Records},
    special::Special,
};

/// One of the demo target systems.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct System {
    pub(crate) name: String,
    /// Bearer token of callers. It is public, since the demo runs on this machine only.
    pub(crate) secret: String,
    /// True if a repeated `Idempotency-Key` gets the first answer again.
    pub(crate) honours_keys: bool,
    /// Path for tests of the connection.
    pub(crate) test_path: String,
    pub(crate) operations: Vec<Operation>,
}

/// An endpoint of a target system: finds a record, refuses or changes it, and shows it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Operation {
    /// Method and path template below the system's base URL.
    call: String,
    /// Kind of the record, whose id is `{id}`.
    on: Option<String>,
    /// Member of the body that has the record's id instead.
    by: Option<String>,
    /// Member of the record that has the invoice `{id}`; the first such record is found.
    of: Option<String>,
    /// The first refusal whose conditions hold is the answer.
    #[serde(default)]
    refuse: Vec<Refusal>,
    /// New values of members. `invoice.NAME` is a member of the invoice that the record names.
    #[serde(default)]
    set: Map<String, Value>,
    /// Further values, if conditions hold.
    #[serde(default)]
    also: Vec<Also>,
    /// Code instead of values.
    does: Option<Special>,
}

/// A refusal: 422 with a reason, 200 with the unchanged record, or 409.
#[derive(Debug, Deserialize)]
struct Refusal {
    because: Option<String>,
    #[serde(default)]
    shows: bool,
    /// Values of members: one, any of a list, or `not VALUE`.
    #[serde(flatten)]
    when: Map<String, Value>,
}

#[derive(Debug, Deserialize)]
struct Also {
    r#if: Map<String, Value>,
    set: Map<String, Value>,
}

impl Operation {
    pub(crate) fn method(&self) -> Option<Method> {
        self.call
            .split(' ')
            .next()?
            .parse()
            .ok()
    }

    pub(crate) fn path(&self) -> &str {
        self.call
            .split_once(' ')
            .map_or("", |(_, path)| path)
    }

    /// Returns method and path template, as in faults and effects.
    pub(crate) fn name(&self) -> &str {
        &self.call
    }

    /// Runs a call. Returns the answer, whether it succeeded or failed.
    pub(crate) fn run(&self, records: &mut Records, kinds: &Kinds, request: &Request) -> Answer {
        let answer = self.attempt(records, kinds, request);
        answer.unwrap_or_else(|early| early)
    }

    fn attempt(
        &self,
        records: &mut Records,
        kinds: &Kinds,
        request: &Request,
    ) -> Result<Answer, Answer> {
        let mut changes = Vec::new();
        let mut found = None;
        if let Some(kind) = &self.on {
            let id = self.find(records, kind, request)?;
            let noun = kinds
                .get(kind)
                .map_or("", |kind| &kind.noun);
            let record = records
                .get(kind, &id)
                .ok_or_else(|| Answer::unknown(noun))?;
            let scope = Scope { record, records };
            if let Some(refusal) = self
                .refuse
                .iter()
                .find(|one| scope.meets(&one.when))
            {
                return Err(refusal.answer(&id, record));
            }
            changes.extend(scope.values(&self.set));
            for also in self
                .also
                .iter()
                .filter(|also| scope.meets(&also.r#if))
            {
                changes.extend(scope.values(&also.set));
            }
            found = Some((kind, id));
        }
        if let Some(special) = self.does {
            return special.run(records, kinds, request);
        }
        let (kind, id) = found.ok_or_else(|| Answer::unknown("such operation"))?;
        let has_effect = !changes.is_empty();
        for (name, value) in changes {
            records.set(kind, &id, &name, value);
        }
        let record = json!(records.get(kind, &id));
        Ok(if has_effect {
            Answer::done(&id, &record)
        } else {
            Answer::shows(&id, &record)
        })
    }

    /// Returns the id of the record.
    fn find(&self, records: &Records, kind: &str, request: &Request) -> Result<String, Answer> {
        if let Some(member) = &self.by {
            return Ok(request.text(member)?.to_owned());
        }
        let Some(member) = &self.of else {
            return Ok(request.id.clone());
        };
        let mut all = records.all(kind);
        match all.find(|(_, record)| {
            record
                .get(member)
                .is_some_and(|id| *id == *request.id)
        }) {
            Some((id, _)) => Ok(id.clone()),
            None if records
                .get("invoices", &request.id)
                .is_some() =>
            {
                Err(Answer::unusable("the invoice has no payment to collect"))
            }
            None => Err(Answer::unknown("invoice")),
        }
    }
}

impl Refusal {
    fn answer(&self, id: &str, record: &Record) -> Answer {
        match &self.because {
            Some(reason) => Answer::unusable(reason),
            None if self.shows => Answer::shows(id, record),
            None => Answer::already_done(),
        }
    }
}

/// A record, and the invoice that it names.
struct Scope<'r> {
    record: &'r Record,
    records: &'r Records,
}

impl Scope<'_> {
    fn member(&self, name: &str) -> Value {
        let value = match name.strip_prefix(OF_INVOICE) {
            Some(name) => invoice_of(self.record)
                .and_then(|id| self.records.get("invoices", id))
                .and_then(|invoice| invoice.get(name)),
            None => self.record.get(name),
        };
        value.cloned().unwrap_or_default()
    }

    fn meets(&self, conditions: &Map<String, Value>) -> bool {
        conditions
            .iter()
            .all(|(name, expected)| {
                let actual = self.member(name);
                let not = expected
                    .as_str()
                    .and_then(|text| text.strip_prefix("not "));
                match (expected, not) {
                    (Value::Array(any), _) => any.contains(&actual),
                    (_, Some(other)) => {
                        actual
                            .as_str()
                            .unwrap_or(&actual.to_string())
                            != other
                    }
                    (_, None) => actual == self.value(expected),
                }
            })
    }

    fn values(&self, set: &Map<String, Value>) -> Vec<(String, Value)> {
        let values = set
            .iter()
            .map(|(name, value)| (name.clone(), self.value(value)));
        values.collect()
    }

    /// Returns a value, or that of a term: `=a`, `=a - b`, `=a * b`, or `=a or b`, of members and
    /// numbers.
    fn value(&self, given: &Value) -> Value {
        let Some(term) = given
            .as_str()
            .and_then(|text| text.strip_prefix('='))
        else {
            return given.clone();
        };
        let words: Vec<&str> = term.split(' ').collect();
        let number = |word: &str| {
            self.word(word)
                .as_u64()
                .unwrap_or_default()
        };
        match words[..] {
            [a, "-", b] => json!(number(a).saturating_sub(number(b))),
            [a, "*", b] => json!(number(a) * number(b)),
            [a, "or", b] if self.word(a).is_null() => self.word(b),
            [a, ..] => self.word(a),
            [] => Value::Null,
        }
    }

    fn word(&self, word: &str) -> Value {
        word.parse::<u64>()
            .map_or_else(|_| self.member(word), |number| json!(number))
    }
}

/// Beginning of the names of an invoice's members.
const OF_INVOICE: &str = "invoice.";

fn invoice_of(record: &Record) -> Option<&str> {
    record.get("invoiceId")?.as_str()
}

impl Records {
    /// Sets a member of a record, or of the invoice that it names.
    fn set(&mut self, kind: &str, id: &str, name: &str, value: Value) {
        let of_invoice = name.strip_prefix(OF_INVOICE);
        let changed = match of_invoice {
            Some(_) => {
                let record = self.get(kind, id);
                let invoice = record
                    .and_then(invoice_of)
                    .map(str::to_owned);
                invoice.and_then(|invoice| self.get_mut("invoices", &invoice))
            }
            None => self.get_mut(kind, id),
        };
        if let Some(record) = changed {
            record.insert(of_invoice.unwrap_or(name).to_owned(), value);
        }
    }
}
