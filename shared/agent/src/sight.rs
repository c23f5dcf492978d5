//! Observations of target systems, their judgement of conditions, and the checks that an action
//! keeps.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{Excerpt, FactCondition, Facts, TargetRead, facts::told, read_of};
use model::{JsonObject, JsonText, Timestamp, names};

/// An observation: the facts that reads returned, and the reads that failed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sight {
    facts: Facts,
    /// Failed reads, by name.
    silent: BTreeMap<String, Silence>,
}

/// The result of a read.
#[derive(Clone, Debug, PartialEq)]
pub struct Seen {
    /// The status code.
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
    #[must_use]
    pub fn silence(&self, read: &TargetRead) -> Option<Silence> {
        let says = |what: &str| format!("The target system answered {what} to {}.", read.name);
        match self.status {
            404 | 410 => None,
            200..300 if self.is_too_large => Some(Silence::for_good(format!(
                "answer_too_large: the target system's answer to {} is larger than 1 MiB.",
                read.name
            ))),
            200..300 if self.is_json => None,
            200..300 => Some(Silence::unclear(says("something else than JSON"))),
            trouble @ (408 | 425 | 500..) => Some(Silence::unclear(says(&trouble.to_string()))),
            other => Some(Silence::for_now(says(&other.to_string()))),
        }
    }
}

/// A read error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Silence {
    /// The problem in words.
    pub problem: String,
    /// Rejected before sending; a retry cannot help.
    pub is_for_good: bool,
    /// The system did not answer like a working system.
    pub is_unclear: bool,
}

impl Silence {
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

/// The judgement of conditions by an observation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Judgement {
    /// All conditions hold.
    Holds,
    /// One does not hold; the text names the facts found.
    Fails(String),
    /// One is unknown.
    NotKnown(Silence),
}

/// A precondition check that is not in the journal yet.
#[derive(Clone, Debug, PartialEq)]
pub struct Looked {
    /// The instant of the check.
    pub at: Timestamp,
    /// The facts found.
    pub found: Facts,
    /// The problem, if any.
    pub problem: Option<String>,
}

impl<'a> FromIterator<(&'a TargetRead, Result<Seen, Silence>)> for Sight {
    fn from_iter<I>(reads: I) -> Self
    where
        I: IntoIterator<Item = (&'a TargetRead, Result<Seen, Silence>)>,
    {
        let mut sight = Self::default();
        for (read, seen) in reads {
            let silence = match seen {
                Ok(seen) => {
                    let silence = seen.silence(read);
                    sight.facts.extend(seen.facts);
                    silence
                }
                Err(silence) => Some(silence),
            };
            if let Some(silence) = silence {
                sight.silent.insert(read.name.clone(), silence);
            }
        }
        sight
    }
}

impl Sight {
    /// Adds the facts of a read.
    pub fn add(&mut self, facts: Facts) {
        self.facts.extend(facts);
    }

    /// Records a read error.
    pub fn lacks(&mut self, read: &str, silence: Silence) {
        self.silent.insert(read.to_owned(), silence);
    }

    /// Returns the known facts.
    #[must_use]
    pub const fn facts(&self) -> &Facts {
        &self.facts
    }

    /// Judges conditions. A condition that certainly fails takes precedence over an unknown one. A
    /// fact that an answered read lacks cannot hold.
    #[must_use]
    pub fn judge<'a>(&self, conditions: impl IntoIterator<Item = &'a FactCondition>) -> Judgement {
        let mut silent: Option<&Silence> = None;
        for condition in conditions {
            if let Some(silence) = self.silence(condition) {
                silent = silent.filter(|one| one.is_for_good).or(Some(silence));
            } else if condition.holds(&self.facts) != Some(true) {
                let (says, found) = (condition.says(), self.found(condition));
                return Judgement::Fails(format!("expected that {says}; found that {found}."));
            }
        }
        silent.map_or(Judgement::Holds, |one| Judgement::NotKnown(one.clone()))
    }

    /// Returns the error of a read that a condition needs. A failed read tells nothing, not even by
    /// its status.
    fn silence(&self, condition: &FactCondition) -> Option<&Silence> {
        let mut facts = condition.facts();
        facts.find_map(|fact| self.silent.get(read_of(fact)))
    }

    fn found(&self, condition: &FactCondition) -> String {
        let found = condition.facts().map(|name| match self.facts.get(name) {
            Some(value) => format!("{name} is {}", told(&brief(value))),
            None => format!("{name} is not there"),
        });
        found.collect::<Vec<_>>().join(" and ")
    }
}

/// Returns facts in the form of records.
pub(super) fn kept(facts: &Facts) -> JsonObject {
    let facts = facts.iter();
    let facts = facts.map(|(name, value)| (name.clone(), brief(value)));
    facts.collect()
}

/// The most characters of a fact that are stored or shown.
const LONGEST_FACT: usize = 200;

fn brief(value: &Value) -> Value {
    match value {
        Value::String(text) if text.len() > LONGEST_FACT => {
            Value::String(text.chars().take(LONGEST_FACT).collect())
        }
        other => other.clone(),
    }
}

impl Looked {
    /// Returns the detail of its journal entry.
    pub(super) fn detail(&self) -> Value {
        json!({ "found": kept(&self.found), "problem": self.problem })
    }
}

/// The state of a verification or a reconciliation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Looks<S> {
    /// The status.
    pub status: S,
    /// Number of checks so far.
    pub looks: i64,
    /// The last check.
    pub at: Option<Timestamp>,
    /// The next check; none once the status is final.
    pub next: Option<Timestamp>,
    /// The facts found by the last check, by `read.fact`.
    pub found: Option<JsonText>,
    /// The reason if the last check did not pass.
    pub problem: Option<String>,
    /// True if the last check read nothing, since the target system did not answer.
    pub is_blind: bool,
}

names! {
    /// The status of a verification: did the action have its effect?
    pub enum VerificationStatus {
        /// More checks follow.
        Pending,
        /// The effect was found.
        Effective,
        /// The effect was not found in time.
        Ineffective,
    }
}

names! {
    /// The status of a reconciliation: did an unclear call take effect?
    pub enum ReconciliationStatus {
        /// More checks follow.
        Pending,
        /// The call took effect.
        Done,
        /// The call took no effect.
        NotDone,
        /// No check told: a person decides.
        Unknown,
    }
}

impl<S> Looks<S> {
    pub(super) const fn first(status: S, next: Timestamp) -> Self {
        Self {
            status,
            looks: 0,
            at: None,
            next: Some(next),
            found: None,
            problem: None,
            is_blind: false,
        }
    }

    /// Records a check with its result. Returns the number of checks so far.
    pub(super) fn looked(
        &mut self,
        sight: &Sight,
        (status, problem): (S, Option<String>),
        now: Timestamp,
    ) -> i64 {
        self.status = status;
        self.looks += 1;
        self.at = Some(now);
        self.found = Some(JsonText(kept(sight.facts())));
        self.problem = problem;
        self.looks
    }

    pub(super) fn detail(&self) -> Value
    where
        S: Copy + Into<&'static str>,
    {
        let status: &str = self.status.into();
        json!({
            "status": status,
            "look": self.looks,
            "found": self.found.as_ref().map(|found| &found.0),
            "problem": self.problem,
        })
    }
}
