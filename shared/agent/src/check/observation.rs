//! Observations of target systems, and their judgement of conditions.

use std::collections::BTreeMap;

use model::base::JsonObject;
use serde_json::Value;

use crate::{
    check::{FactCondition, Facts, TargetRead, read_of},
    connection::{Excerpt, values::quoted_value},
};

/// An observation: facts of successful reads, and errors of failed ones.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Observation {
    pub facts: Facts,
    /// Failed reads, by name.
    unread: BTreeMap<String, ReadError>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Seen {
    pub status: u16,
    /// True if the answer is complete JSON or empty.
    pub is_json: bool,
    /// True if the answer is larger than 1 MiB, of which only the beginning was read.
    pub is_too_large: bool,
    /// The known facts: the read's facts after a 2xx, and always the status as `read.http`.
    pub facts: Facts,
    /// The status and what may be kept of the body.
    pub excerpt: Excerpt,
    /// SHA-256 of the whole body without secrets, in hexadecimal.
    pub hash: String,
}

impl Seen {
    /// Returns the read error, if the answer tells nothing about the record. Only an answer with
    /// facts, or a missing record, tells about it.
    pub fn read_error(&self, read: &TargetRead) -> Option<ReadError> {
        let says = |answer: &str| format!("The target system answered {answer} to {}.", read.name);
        match self.status {
            404 | 410 => None,
            200..300 if self.is_too_large => Some(ReadError::for_good(format!(
                "answer_too_large: the target system's answer to {} is larger than 1 MiB.",
                read.name
            ))),
            200..300 if self.is_json => None,
            200..300 => Some(ReadError::unclear(says("something else than JSON"))),
            trouble @ (408 | 425 | 500..) => Some(ReadError::unclear(says(&trouble.to_string()))),
            other => Some(ReadError::for_now(says(&other.to_string()))),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadError {
    pub problem: String,
    /// Rejected before sending; a retry cannot help.
    pub is_for_good: bool,
    /// The system did not answer like a working system.
    pub is_unclear: bool,
}

impl ReadError {
    /// Creates a temporary error: a later check may succeed.
    pub fn for_now(problem: impl Into<String>) -> Self {
        Self {
            problem: problem.into(),
            is_for_good: false,
            is_unclear: false,
        }
    }

    /// Creates a permanent error: no later check can succeed.
    pub fn for_good(problem: impl Into<String>) -> Self {
        Self {
            is_for_good: true,
            ..Self::for_now(problem)
        }
    }

    /// Creates the error of a system that does not work.
    pub fn unclear(problem: impl Into<String>) -> Self {
        Self {
            is_unclear: true,
            ..Self::for_now(problem)
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Judgement {
    Holds,
    /// One does not hold; the text names the facts found.
    Fails(String),
    NotKnown(ReadError),
}

impl Judgement {
    /// Returns the reason if the conditions do not hold, or are not known to.
    pub(crate) fn problem(self) -> Option<String> {
        match self {
            Self::Holds => None,
            Self::Fails(reason) => Some(reason),
            Self::NotKnown(error) => Some(error.problem),
        }
    }
}

type Read<'a> = (&'a TargetRead, Result<Seen, ReadError>);

impl<'a> FromIterator<Read<'a>> for Observation {
    fn from_iter<I: IntoIterator<Item = Read<'a>>>(reads: I) -> Self {
        let mut observation = Self::default();
        for (read, seen) in reads {
            let read_error = match &seen {
                Ok(seen) => seen.read_error(read),
                Err(read_error) => Some(read_error.clone()),
            };
            let facts = seen
                .into_iter()
                .flat_map(|seen| seen.facts);
            observation.facts.extend(facts);
            if let Some(read_error) = read_error {
                observation.lacks(&read.name, read_error);
            }
        }
        observation
    }
}

impl Observation {
    pub fn lacks(&mut self, read: &str, read_error: ReadError) {
        self.unread
            .insert(read.to_owned(), read_error);
    }

    /// Returns the error of a read; none if it was answered.
    pub(crate) fn error_of(&self, read: &str) -> Option<&ReadError> {
        self.unread.get(read)
    }

    /// Judges conditions. A condition that certainly fails takes precedence over an unknown one. A
    /// fact that an answered read lacks cannot hold.
    pub fn judge<'a>(&self, conditions: impl IntoIterator<Item = &'a FactCondition>) -> Judgement {
        let mut unread: Option<&ReadError> = None;
        for condition in conditions {
            if let Some(read_error) = self.read_error(condition) {
                unread = unread
                    .filter(|error| error.is_for_good)
                    .or(Some(read_error));
            } else if condition.holds(&self.facts) != Some(true) {
                let says = condition.says();
                let facts_in_words = self.found(condition);
                return Judgement::Fails(format!(
                    "expected that {says}; found that {facts_in_words}."
                ));
            }
        }
        unread.map_or(Judgement::Holds, |error| Judgement::NotKnown(error.clone()))
    }

    /// Returns the error of a read that a condition needs. A failed read tells nothing, not even by
    /// its status.
    fn read_error(&self, condition: &FactCondition) -> Option<&ReadError> {
        let mut facts = condition.facts();
        facts.find_map(|fact| self.unread.get(read_of(fact)))
    }

    /// True if the system of a read says that the record does not exist.
    pub fn is_gone(&self, read: &str) -> bool {
        let status = self.facts.get(&format!("{read}.http"));
        status.is_some_and(|status| *status == 404 || *status == 410)
    }

    /// Returns the value of a fact, of at most 200 characters; null if the answer lacks it. None if
    /// it was not read.
    pub(crate) fn value(&self, fact: &str) -> Option<Value> {
        let status = format!("{}.http", read_of(fact));
        let was_read = self.facts.contains_key(&status) && !self.unread.contains_key(read_of(fact));
        was_read.then(|| {
            self.facts
                .get(fact)
                .map_or(Value::Null, brief)
        })
    }

    fn found(&self, condition: &FactCondition) -> String {
        let facts = condition
            .facts()
            .map(|name| match self.facts.get(name) {
                Some(value) => format!("{name} is {}", quoted_value(&brief(value))),
                None => format!("{name} is not there"),
            });
        facts.collect::<Vec<_>>().join(" and ")
    }
}

pub(crate) fn kept(facts: &Facts) -> JsonObject {
    let brief = |(name, value): (&String, _)| (name.clone(), brief(value));
    facts.iter().map(brief).collect()
}

/// Returns a fact as it is stored and shown. A text is cut to 200 characters.
fn brief(value: &Value) -> Value {
    match value {
        Value::String(text) => text
            .chars()
            .take(200)
            .collect::<String>()
            .into(),
        other => other.clone(),
    }
}
