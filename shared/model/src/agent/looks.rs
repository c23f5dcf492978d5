//! Looks at target systems on behalf of an action: what its reads tell, what a condition makes of that,
//! and what follows before anything is sent.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::{AgentAction, ApiCall, FactCondition, Facts, Outcome, TargetRead, facts::plain};
use crate::{JsonObject, JsonText, Timestamp};

/// What a look came to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sight {
    facts: Facts,
    /// Reads that did not tell, by name.
    silent: BTreeMap<String, Silence>,
}

/// Why a read did not tell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Silence {
    /// What a person reads of it.
    pub problem: String,
    /// It was not sent and never will be as it is.
    pub is_for_good: bool,
    /// The system did not answer as one does that works.
    pub is_unclear: bool,
}

impl Silence {
    /// A later look may tell.
    pub fn for_now(problem: impl Into<String>) -> Self {
        Self {
            problem: problem.into(),
            is_for_good: false,
            is_unclear: false,
        }
    }

    /// No look will ever tell.
    pub fn for_good(problem: impl Into<String>) -> Self {
        Self {
            is_for_good: true,
            ..Self::for_now(problem)
        }
    }

    /// The system does not work.
    pub fn unclear(problem: impl Into<String>) -> Self {
        Self {
            is_unclear: true,
            ..Self::for_now(problem)
        }
    }
}

/// What a look makes of conditions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Judgement {
    /// They hold.
    Holds,
    /// One does not, and what was found instead.
    Fails(String),
    /// One is not known.
    NotKnown(Silence),
}

/// What a look before the first call comes to.
#[derive(Clone, Debug, PartialEq)]
pub enum Precondition {
    /// The call may be sent.
    Holds,
    /// Nothing is sent, and the action ends.
    Changed(Outcome),
    /// Nothing is sent for now, and why.
    NotKnown(String),
}

/// A look that is not in the journal yet.
#[derive(Clone, Debug, PartialEq)]
pub struct Looked {
    /// When.
    pub at: Timestamp,
    /// What was found.
    pub found: Facts,
    /// What was wrong, if anything.
    pub problem: Option<String>,
}

impl Sight {
    /// Adds what a read told.
    pub fn add(&mut self, facts: Facts) {
        self.facts.extend(facts);
    }

    /// Notes that a read did not tell.
    pub fn lacks(&mut self, read: &str, silence: Silence) {
        self.silent.insert(read.to_owned(), silence);
    }

    /// Whether a read got no answer of a system that works.
    #[must_use]
    pub fn is_unclear(&self, read: &str) -> bool {
        self.silent.get(read).is_some_and(|one| one.is_unclear)
    }

    /// What is known.
    #[must_use]
    pub const fn facts(&self) -> &Facts {
        &self.facts
    }

    /// What conditions come to. What certainly does not hold counts before what is not known. A fact
    /// that is not there although its read was answered is none that could hold.
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

    /// Why a fact that a condition speaks of is not known. Of a read that told nothing, not even its
    /// status says anything of the record.
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
    /// As records keep them.
    #[must_use]
    pub fn kept(&self) -> JsonText {
        let facts = self.iter();
        let facts = facts.map(|(name, value)| (name.to_owned(), brief(value)));
        JsonText(facts.collect::<JsonObject>())
    }
}

/// The read that a fact is of.
fn read_of(fact: &str) -> &str {
    fact.split_once('.').map_or(fact, |(read, _)| read)
}

/// The most characters of a fact that are kept or shown.
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
    /// With a call's idempotency key in its path, where that asks for it.
    #[must_use]
    pub fn with_key(&self, key: &str) -> Self {
        Self {
            path: self.path.replace(ApiCall::KEY, key),
            ..self.clone()
        }
    }

    /// Whether its path asks for the idempotency key of a call, before which it cannot be sent.
    #[must_use]
    pub fn asks_for_key(&self) -> bool {
        self.path.contains(ApiCall::KEY)
    }
}

impl ApiCall {
    /// Stands in the path of a read and in paths and bodies of calls for the idempotency key of the call,
    /// so that what the call made can be found by it.
    pub const KEY: &str = "{idempotency_key}";

    /// With its idempotency key in path and body, where these ask for it.
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

/// Looks before the first call.
impl AgentAction {
    /// Whether a claim is followed by a look at what it requires before its next call that changes
    /// something. Not when that call may have been sent: then its repeat decides, since its own effect
    /// would be found. Nor behind a step that changed something, for the same reason.
    pub(super) fn looks_first(&self) -> bool {
        !self.require.is_empty() && !self.ambiguous && !self.has_changed()
    }

    /// The reads that tell what it requires, of a call that is the next to be sent.
    #[must_use]
    pub fn required_reads(&self) -> Vec<TargetRead> {
        self.reads_of(&self.require, self.next_step())
    }

    /// The reads that conditions speak of, each once, for the call of a step that counts from 0.
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

    /// The step that comes next, from 0.
    pub(super) fn next_step(&self) -> usize {
        usize::try_from(self.steps_done).unwrap_or(0)
    }

    /// What its holder, who has sent nothing that changes anything, found of what it requires.
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

    /// How it ends when its holder is kept from its next call.
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
    /// What the journal has of it.
    pub(super) fn detail(&self) -> Value {
        json!({ "found": self.found.kept().0, "problem": self.problem })
    }
}
