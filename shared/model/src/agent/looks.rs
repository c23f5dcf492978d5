//! Checks of target systems for an action: observations, judgements of conditions, and the
//! precondition check before the first call.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::{AgentAction, ApiCall, FactCondition, Facts, Outcome, TargetRead, facts::plain};
use crate::{JsonObject, JsonText, Timestamp};

/// An observation: the facts that reads returned, and the reads that failed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sight {
    facts: Facts,
    /// Failed reads, by name.
    silent: BTreeMap<String, Silence>,
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

/// The result of a precondition check.
#[derive(Clone, Debug, PartialEq)]
pub enum Precondition {
    /// The call may be sent.
    Holds,
    /// Nothing is sent, and the action ends.
    Changed(Outcome),
    /// Nothing is sent at this time, for this reason.
    NotKnown(String),
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

impl Sight {
    /// Adds the facts of a read.
    pub fn add(&mut self, facts: Facts) {
        self.facts.extend(facts);
    }

    /// Records a read error.
    pub fn lacks(&mut self, read: &str, silence: Silence) {
        self.silent.insert(read.to_owned(), silence);
    }

    /// True if a read got no answer of a working system.
    #[must_use]
    pub fn is_unclear(&self, read: &str) -> bool {
        self.silent.get(read).is_some_and(|one| one.is_unclear)
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
            Some(value) => format!("{name} is {}", shown(value)),
            None => format!("{name} is not there"),
        });
        found.collect::<Vec<_>>().join(" and ")
    }
}

impl Facts {
    /// Returns the facts in the form of records.
    #[must_use]
    pub fn kept(&self) -> JsonText {
        let facts = self.iter();
        let facts = facts.map(|(name, value)| (name.to_owned(), brief(value)));
        JsonText(facts.collect::<JsonObject>())
    }
}

/// Returns the name of a fact's read.
fn read_of(fact: &str) -> &str {
    fact.split_once('.').map_or(fact, |(read, _)| read)
}

/// The most characters of a fact that are stored or shown.
const LONGEST_FACT: usize = 200;

fn shown(value: &Value) -> String {
    plain(value).chars().take(LONGEST_FACT).collect()
}

fn brief(value: &Value) -> Value {
    match value {
        Value::String(text) if text.len() > LONGEST_FACT => shown(value).into(),
        other => other.clone(),
    }
}

impl TargetRead {
    /// Returns the read with an idempotency key in its path, where the path has the placeholder.
    #[must_use]
    pub fn with_key(&self, key: &str) -> Self {
        Self {
            path: self.path.replace(ApiCall::KEY, key),
            ..self.clone()
        }
    }

    /// True if its path needs a call's idempotency key, without which it cannot be sent.
    #[must_use]
    pub fn asks_for_key(&self) -> bool {
        self.path.contains(ApiCall::KEY)
    }
}

impl ApiCall {
    /// The placeholder for a call's idempotency key, in paths of reads and in paths and bodies of
    /// calls. By this key, a read finds what the call created.
    pub const KEY: &str = "{idempotency_key}";

    /// Returns the call with its idempotency key in path and body, where these have the
    /// placeholder.
    #[must_use]
    pub fn with_key(&self, key: &str) -> Self {
        let body = self.body.as_ref().map(|body| {
            let members = body.0.0.iter();
            let members = members.map(|(name, value)| (name.clone(), keyed(value, key)));
            JsonText(members.collect::<JsonObject>())
        });
        Self {
            path: self.path.replace(Self::KEY, key),
            body,
            ..self.clone()
        }
    }
}

fn keyed(value: &Value, key: &str) -> Value {
    match value {
        Value::String(text) => text.replace(ApiCall::KEY, key).into(),
        Value::Array(elements) => elements.iter().map(|one| keyed(one, key)).collect(),
        Value::Object(members) => {
            let members = members.iter();
            members
                .map(|(name, value)| (name.clone(), keyed(value, key)))
                .collect()
        }
        other => other.clone(),
    }
}

/// Precondition checks.
impl AgentAction {
    /// True if a claim is followed by a precondition check before the next call that changes
    /// something. False if that call may have been sent, or if an earlier step changed something:
    /// the check would find the action's own effect.
    pub(super) fn looks_first(&self) -> bool {
        !self.require.is_empty() && !self.ambiguous && !self.has_changed()
    }

    /// Returns the reads of its preconditions, with the key of the next call.
    #[must_use]
    pub fn required_reads(&self) -> Vec<TargetRead> {
        self.reads_of(&self.require, self.next_step())
    }

    /// Returns the reads that conditions need, each once, with the key of a step that counts from
    /// 0.
    pub(super) fn reads_of<'a>(
        &self,
        conditions: impl IntoIterator<Item = &'a FactCondition>,
        step: usize,
    ) -> Vec<TargetRead> {
        let facts = conditions.into_iter().flat_map(FactCondition::facts);
        let named: BTreeSet<&str> = facts.map(read_of).collect();
        let key = self.idempotency_key(step);
        let reads = self.reads.iter();
        let reads = reads.filter(|read| named.contains(read.name.as_str()));
        reads.map(|read| read.with_key(&key)).collect()
    }

    /// Returns the next step, from 0.
    pub(super) fn next_step(&self) -> usize {
        usize::try_from(self.steps_done).unwrap_or(0)
    }

    /// Judges its preconditions. The holder has sent nothing that changes anything.
    pub fn permits(&mut self, sight: &Sight, now: Timestamp) -> Precondition {
        self.not_sent();
        let judgement = sight.judge(&self.require);
        let problem = match &judgement {
            Judgement::Holds => None,
            Judgement::Fails(found) => Some(found.clone()),
            Judgement::NotKnown(silence) => Some(silence.problem.clone()),
        };
        self.looked = Some(Looked {
            at: now,
            found: sight.facts().clone(),
            problem,
        });
        match judgement {
            Judgement::Holds => {
                self.looking = false;
                Precondition::Holds
            }
            Judgement::Fails(found) => {
                Precondition::Changed(self.kept_from(&format!("precondition_changed: {found}")))
            }
            Judgement::NotKnown(Silence {
                problem,
                is_for_good: true,
                ..
            }) => {
                Precondition::Changed(self.kept_from(&format!("precondition_unknown: {problem}")))
            }
            Judgement::NotKnown(silence) => Precondition::NotKnown(silence.problem),
        }
    }

    /// Returns the outcome of an action that is blocked before its next call.
    fn kept_from(&self, why: &str) -> Outcome {
        let sent = if self.steps_done > 0 {
            "Nothing more was sent."
        } else {
            "Nothing was sent."
        };
        Outcome {
            error: Some(format!("{why} {sent}")),
            ..self.stopped(None)
        }
    }
}

impl Looked {
    /// Returns the detail of its journal entry.
    pub(super) fn detail(&self) -> Value {
        json!({ "found": self.found.kept().0, "problem": self.problem })
    }
}
