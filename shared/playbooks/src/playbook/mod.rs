//! Playbooks: knowledge about a kind of alert.

mod check;
mod condition;
mod finding;
mod money;
mod order;
mod period;
mod read;
mod render;
mod step;
mod values;
mod verify;

pub(super) use read::{MOST_READS, Read};
pub(super) use render::RenderContext;
pub(super) use values::Values;

use std::collections::{BTreeMap, BTreeSet};

use agent::{
    action::{ActionType, PlaybookVersion, Reversibility, Risk},
    alert::Alert,
    pattern::Cycle,
    session::Case,
};

use serde::Deserialize;
use serde_json::Value;

use crate::template::Template;

use self::{
    condition::{Condition, Many},
    money::{DebtInFile, MoneyInFile},
    period::AttemptsInFile,
    read::ReadInFile,
    step::Step,
    values::Source,
    verify::Verify,
};

/// A playbook: knowledge about a kind of alert.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Playbook {
    pub(super) name: String,
    /// Raised with every change.
    version: u32,
    pub(super) root_cause: Template,
    pub(super) impact: Template,
    /// Affected systems besides the alert's system and those that actions call.
    #[serde(default)]
    pub(super) affected_systems: Vec<String>,
    /// The cycle of such alerts, for example monthly.
    #[serde(default)]
    pub(super) cycle: Cycle,
    #[serde(rename = "match")]
    pub(super) matches: Matches,
    #[serde(default)]
    parameters: BTreeMap<String, Source>,
    /// Reads of target systems. A path may use facts of the reads before it.
    #[serde(default)]
    reads: Vec<ReadInFile>,
    #[serde(default)]
    findings: Vec<Finding>,
    /// The first one that holds is stated.
    #[serde(default)]
    causes: Vec<Cause>,
    pub(super) actions: Vec<Action>,
    /// Conditions that hold once the alert's matter is settled. Without them, only people resolve
    /// such an alert.
    #[serde(default)]
    resolved_when: Many<Condition>,
    /// SHA-256 of the file's text.
    #[serde(skip)]
    hash: String,
}

#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Matches {
    signal_type: Option<String>,
    target_system: Option<String>,
    #[serde(default)]
    entity_types: Vec<String>,
    #[serde(default)]
    labels: BTreeMap<String, String>,
}

/// A claim that speaks for the playbook.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Finding {
    id: String,
    /// Conditions; all must hold. Without conditions, it says something of the playbook itself.
    #[serde(default)]
    when: Many<Condition>,
    says: Template,
}

/// A cause of the alert, which is stated as a fact if its conditions hold.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Cause {
    when: Many<Condition>,
    says: Template,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(
    clippy::struct_field_names,
    reason = "the file's field is named like the API's"
)]
pub(super) struct Action {
    key: String,
    /// Keys of actions that come first, if they are approved too.
    #[serde(default)]
    after: Vec<String>,
    /// Keys of actions that come first if they are approved too. This one replaces them.
    #[serde(default)]
    unless: Vec<String>,
    pub(super) action_type: ActionType,
    target_system: Template,
    description: Template,
    expected_outcome: Template,
    pub(super) risk: Risk,
    pub(super) automated: bool,
    /// Minutes a person would need.
    #[serde(default)]
    minutes: u16,
    /// The records to change or to leave as they are, as `kind/{read.id}`. It acts on the first
    /// one. No two actions with a common record run at once.
    #[serde(default)]
    records: Vec<Template>,
    /// The customer who gets its message.
    customer: Option<Template>,
    /// The number of times that its effect may be tried. Without it, an action that moves money may
    /// be tried once a day, and others have no limit.
    attempts: Option<AttemptsInFile>,
    /// The way to undo it. Required for automated actions.
    reversible: Option<ReversibleInFile>,
    /// All that has to be so for it to be right. Where a condition is false, the action does not
    /// apply. Those of an automated action must hold again when it runs.
    #[serde(default)]
    require: Many<Condition>,
    /// The debt. An action with an amount moves exactly this debt.
    debt: Option<DebtInFile>,
    money: Option<MoneyInFile>,
    /// The fact with the number of records that it touches, such as events.
    size: Option<String>,
    /// The condition that shows its effect.
    verify: Option<Verify>,
    steps: Vec<Step>,
}

/// The reversibility of an action: how, how and until when, or why not.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
enum ReversibleInFile {
    Yes(Template),
    Until(Template),
    No(Template),
}

impl ReversibleInFile {
    const fn parts(&self) -> (Reversibility, &Template) {
        match self {
            Self::Yes(says) => (Reversibility::Yes, says),
            Self::Until(says) => (Reversibility::Until, says),
            Self::No(says) => (Reversibility::No, says),
        }
    }
}

impl Matches {
    pub(super) fn fit(&self, case: &Case) -> bool {
        let alert = &case.alert;
        let is = |expected: &Option<String>, actual: &str| {
            expected
                .as_ref()
                .is_none_or(|expected| expected == actual)
        };
        let is_named = |kind: &String| {
            let mut entities = alert.entities.iter();
            entities.any(|entity| *entity.r#type == **kind)
        };
        let mut labels = self.labels.iter();
        is(&self.signal_type, &alert.signal_type)
            && (self.target_system.as_ref()).is_none_or(|role| case.systems().fit(role))
            && self.entity_types.iter().all(is_named)
            && labels.all(|(name, value)| alert.labels.0.get(name) == Some(value))
    }

    /// Returns the number of conditions: one each for the class, the target system, each entity
    /// type and each label. 0 for the fallback.
    pub(super) fn specificity(&self) -> u16 {
        let single = self
            .signal_type
            .iter()
            .chain(&self.target_system);
        let expected = single.count() + self.entity_types.len() + self.labels.len();
        u16::try_from(expected).unwrap_or(u16::MAX)
    }
}

fn gives(reads: &[ReadInFile], fact: &str) -> bool {
    fact.split_once('.')
        .is_some_and(|(read, fact)| {
            let mut reads = reads.iter();
            reads.any(|read_in_file| read_in_file.name == read && read_in_file.gives(fact))
        })
}

impl Playbook {
    /// Reads a file. Finds every flaw that would otherwise show only with an alert.
    pub(super) fn read(file: &str, hash: String, content: Value) -> Result<Self, String> {
        let read = serde_json::from_value(content);
        let mut playbook: Self = read.map_err(|error| error.to_string())?;
        if playbook.name != file {
            return Err(format!("it calls itself {:?}", playbook.name));
        }
        playbook.check()?;
        playbook.hash = hash;
        Ok(playbook)
    }

    pub(super) fn version(&self) -> PlaybookVersion {
        PlaybookVersion {
            name: self.name.clone(),
            version: self.version,
            hash: self.hash.clone(),
        }
    }

    /// Returns the types of records that its parameters take.
    pub(super) fn entity_types(&self) -> BTreeSet<&str> {
        self.parameters
            .values()
            .map(Source::entity)
            .collect()
    }

    /// Returns the values that the alert gives for the parameters; some may be missing.
    pub(super) fn values(&self, alert: &Alert) -> Values {
        Values::of(&self.parameters, alert)
    }

    /// Returns its reads, and the values after `learn` added the facts of each.
    pub(super) fn reads_with(
        &self,
        mut values: Values,
        learn: impl Fn(&Read, &mut Values),
    ) -> (Vec<Read>, Values) {
        let mut reads = Vec::with_capacity(self.reads.len());
        for read in &self.reads {
            let read = read.render(&values);
            learn(&read, &mut values);
            reads.push(read);
        }
        (reads, values)
    }

    /// True if it is used for alerts that no other playbook matches.
    pub(super) fn is_fallback(&self) -> bool {
        self.matches == Matches::default()
    }
}
