//! Playbooks: knowledge about a kind of alert.

mod check;
mod condition;
mod cooldown;
mod finding;
mod flaw;
mod money;
mod obstacle;
mod order;
mod read;
mod render;
mod values;
mod verify;

pub use flaw::{CallFlaw, Flaw};
pub(super) use read::{MOST_READS, Read};
pub(super) use render::Surroundings;
pub(super) use values::Values;

use std::collections::BTreeMap;

use serde::Deserialize;
use shared::model::{
    ActionType, AlreadyDone, AnswerCondition, Cycle, METHODS, PlaybookVersion, Reconciliation,
    Risk, Signal, digest,
};

use self::{
    condition::{Condition, Many},
    cooldown::Cooldown,
    finding::Finding,
    money::MoneyInFile,
    read::ReadInFile,
    values::{GIVEN, KEY, MONEY, Source},
    verify::{Reconcile, Verify},
};
use super::template::{Body, Template};

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
    /// Reads of target systems, sent concurrently.
    #[serde(default)]
    reads: Vec<ReadInFile>,
    #[serde(default)]
    findings: Vec<Finding>,
    pub(super) actions: Vec<Action>,
    /// SHA-256 of the file's text.
    #[serde(skip)]
    hash: String,
}

/// Conditions on an alert.
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

/// An action of a playbook.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(
    clippy::struct_field_names,
    reason = "the file's field is named like the API's"
)]
pub(super) struct Action {
    /// Its name within the playbook.
    key: String,
    /// Keys of actions that must not run if this one does. One of the two actions suffices.
    #[serde(default)]
    excludes: Vec<String>,
    /// Keys of actions that come first, if they are approved too.
    #[serde(default)]
    after: Vec<String>,
    action_type: ActionType,
    target_system: Template,
    description: Template,
    expected_outcome: Template,
    risk: Risk,
    pub(super) automated: bool,
    /// Minutes a person would need.
    #[serde(default)]
    minutes: u16,
    /// The affected records. No two actions have the same effect on one record at once, or within
    /// the cooldown after the first.
    #[serde(default)]
    entities: Vec<Template>,
    #[serde(default)]
    cooldown: Cooldown,
    /// Instructions for people: how to undo it and until when, or that it cannot be undone.
    /// Required for automated actions.
    undo: Option<Template>,
    /// Conditions at the proposal. If one is false or unknown, the action is proposed as manual.
    #[serde(default)]
    when: Many<Condition>,
    /// Conditions at the proposal that must also hold when it runs.
    #[serde(default)]
    require: Many<Condition>,
    money: Option<MoneyInFile>,
    /// The condition that shows its effect.
    verify: Option<Verify>,
    steps: Vec<Step>,
}

/// A step of an action.
#[derive(Debug, Deserialize)]
#[serde(try_from = "StepInFile")]
struct Step {
    description: Template,
    /// None for a step that a person does.
    call: Option<Call>,
    /// A dry run of the call.
    dry_run: Option<DryCall>,
}

/// A call by which the system reports the effect of its step's call without performing it.
#[derive(Debug)]
struct DryCall {
    call: Call,
    /// A non-GET declared free of side effects.
    is_harmless: bool,
}

/// A call of a target system, with placeholders in path and body.
#[derive(Debug)]
struct Call {
    method: String,
    path: Template,
    body: Option<Body>,
    expect: Vec<u16>,
    already_done: Vec<AlreadyDone>,
    success: Vec<AnswerCondition>,
    not_done: Vec<u16>,
    reconcile: Option<Reconcile>,
}

/// A step in the file, with its call's members side by side.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StepInFile {
    description: Template,
    method: Option<String>,
    path: Option<Template>,
    body: Option<Body>,
    #[serde(default)]
    expect: Vec<u16>,
    #[serde(default)]
    already_done: Vec<AlreadyDone>,
    /// Conditions on the body that success requires besides the status; all must hold.
    #[serde(default)]
    success: Many<AnswerCondition>,
    /// Conditions that show whether the call took effect when its answer does not.
    reconcile: Option<Reconcile>,
    /// Statuses besides 429 by which the system guarantees that nothing was done.
    #[serde(default)]
    not_done: Vec<u16>,
    dry_run: Option<DryRunInFile>,
}

/// A dry run in the file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct DryRunInFile {
    method: String,
    path: Template,
    body: Option<Body>,
    /// Required for a non-GET.
    #[serde(default)]
    harmless: bool,
}

impl TryFrom<StepInFile> for Step {
    type Error = CallFlaw;

    fn try_from(step: StepInFile) -> Result<Self, CallFlaw> {
        let call = match (step.method, step.path) {
            (Some(method), Some(path)) => Some(Call {
                method,
                path,
                body: step.body,
                expect: step.expect,
                already_done: step.already_done,
                success: step.success.0,
                not_done: step.not_done,
                reconcile: step.reconcile,
            }),
            (None, None) if step.reconcile.is_some() || !step.success.0.is_empty() => {
                return Err(CallFlaw::Half);
            }
            (None, None) => None,
            _ => return Err(CallFlaw::Half),
        };
        call.as_ref().map_or(Ok(()), Call::check)?;
        let dry_run = step.dry_run.map(DryCall::try_from).transpose()?;
        if call.is_none() && dry_run.is_some() {
            return Err(CallFlaw::Half);
        }
        Ok(Self {
            description: step.description,
            call,
            dry_run,
        })
    }
}

impl TryFrom<DryRunInFile> for DryCall {
    type Error = CallFlaw;

    fn try_from(file: DryRunInFile) -> Result<Self, CallFlaw> {
        if file.method != "GET" && !file.harmless {
            return Err(CallFlaw::Harm(file.method));
        }
        let call = Call {
            method: file.method,
            path: file.path,
            body: file.body,
            expect: vec![200],
            already_done: Vec::new(),
            not_done: Vec::new(),
            success: Vec::new(),
            reconcile: None,
        };
        call.check()?;
        let is_harmless = file.harmless;
        Ok(Self { call, is_harmless })
    }
}

impl Call {
    fn check(&self) -> Result<(), CallFlaw> {
        if !METHODS.contains(&self.method.as_str()) {
            return Err(CallFlaw::Method(self.method.clone()));
        }
        if !self.path.is_path() {
            return Err(CallFlaw::Path);
        }
        let is_success = |status: &u16| (200..300).contains(status);
        if self.expect.is_empty() || !self.expect.iter().all(is_success) {
            return Err(CallFlaw::Expect);
        }
        if self.expect.contains(&202) && self.success.is_empty() {
            return Err(CallFlaw::Accepted);
        }
        let may_pass = |status: &u16| *status == 425 || (500..600).contains(status);
        if !self.not_done.iter().all(may_pass) {
            return Err(CallFlaw::NotDone);
        }
        let is_sound = |one: &AnswerCondition| check::is_pointer(&one.at) && !one.is.is_empty();
        if !self.success.iter().all(is_sound) {
            return Err(CallFlaw::Success);
        }
        Ok(())
    }

    fn placeholders(&self) -> impl Iterator<Item = &str> {
        let in_body = self.body.as_ref().map(Body::placeholders);
        let in_body = in_body.unwrap_or_default();
        self.path.placeholders().chain(in_body)
    }
}

impl Step {
    fn reconcile(&self) -> Option<Reconciliation> {
        let reconcile = self.call.as_ref()?.reconcile.as_ref()?;
        Some(reconcile.conditions())
    }
}

impl Matches {
    pub(super) fn fit(&self, signal: &Signal) -> bool {
        self.signal_type
            .as_ref()
            .is_none_or(|class| *class == signal.signal_type)
            && self
                .target_system
                .as_ref()
                .is_none_or(|system| *system == signal.target_system)
            && self.entity_types.iter().all(|kind| {
                let mut entities = signal.entities.iter();
                entities.any(|entity| entity.kind == *kind)
            })
            && self
                .labels
                .iter()
                .all(|(name, value)| signal.labels.get(name) == Some(value))
    }

    /// Returns the number of conditions: one each for the class, the target system, each entity
    /// type and each label. 0 for the fallback.
    pub(super) fn specificity(&self) -> u16 {
        let single =
            usize::from(self.signal_type.is_some()) + usize::from(self.target_system.is_some());
        let asked = single + self.entity_types.len() + self.labels.len();
        u16::try_from(asked).unwrap_or(u16::MAX)
    }
}

impl Playbook {
    /// Reads a file. Finds every flaw that would otherwise show only with an alert.
    pub(super) fn read(file: &str, text: &str) -> Result<Self, Flaw> {
        let mut playbook: Self = toml::from_str(text)?;
        if playbook.name != file {
            return Err(Flaw::Name(playbook.name));
        }
        playbook.check()?;
        playbook.exclude_mutually();
        playbook.hash = digest(text);
        Ok(playbook)
    }

    /// Returns the version that its actions carry.
    pub(super) fn version(&self) -> PlaybookVersion {
        PlaybookVersion {
            name: self.name.clone(),
            version: self.version,
            hash: self.hash.clone(),
        }
    }

    /// True if it is used for alerts that no other playbook matches.
    pub(super) fn is_fallback(&self) -> bool {
        self.matches == Matches::default()
    }

    fn check(&self) -> Result<(), Flaw> {
        if self.version == 0 {
            return Err(Flaw::Version);
        }
        if self.matches.signal_type.is_none() && self.matches != Matches::default() {
            return Err(Flaw::AnyClass);
        }
        if self.actions.is_empty() {
            return Err(Flaw::NoActions);
        }
        let is_parameter = |name: &&str| self.parameters.contains_key(*name);
        if let Some(name) = GIVEN.into_iter().chain([MONEY, KEY]).find(is_parameter) {
            return Err(Flaw::Given(name));
        }
        self.check_reads()?;
        self.check_findings()?;
        self.check_text(&self.root_cause)?;
        self.check_text(&self.impact)?;
        self.actions
            .iter()
            .try_for_each(|action| self.check_action(action))?;
        self.check_order()
    }

    fn check_action(&self, action: &Action) -> Result<(), Flaw> {
        let kind = action.action_type;
        [
            &action.target_system,
            &action.description,
            &action.expected_outcome,
        ]
        .into_iter()
        .chain(&action.entities)
        .chain(&action.undo)
        .chain(action.steps.iter().map(|step| &step.description))
        .try_for_each(|text| self.check_text_of(action, text))?;
        if action.steps.is_empty() {
            return Err(Flaw::NoSteps(kind));
        }
        if action.automated == (kind == ActionType::ManualReview) {
            return Err(Flaw::Nature(kind));
        }
        if action.automated && action.minutes == 0 {
            return Err(Flaw::NoMinutes(kind));
        }
        if action.automated && action.entities.is_empty() {
            return Err(Flaw::NoEntity(kind));
        }
        let calls = |step: &Step| step.call.is_some() == action.automated;
        if !action.steps.iter().all(calls) {
            return Err(Flaw::Calls(kind));
        }
        let dry_runs = action.steps.iter().filter_map(|step| step.dry_run.as_ref());
        let in_dry_runs = dry_runs.flat_map(|dry_run| dry_run.call.placeholders());
        let in_calls = action.calls().flat_map(Call::placeholders);
        let mut used = in_calls.filter(|name| *name != KEY).chain(in_dry_runs);
        let is_known = |name: &str| self.is_parameter(name) || self.knows(name);
        match used.find(|name| !is_known(name)) {
            Some(name) => Err(Flaw::NoParameter(name.to_owned())),
            None => self.check_looks(action),
        }
    }

    /// Checks a text of an action, which may also contain the money that it moves.
    fn check_text_of(&self, action: &Action, text: &Template) -> Result<(), Flaw> {
        let has_money = action.money.is_some() && text.placeholders().any(|name| name == MONEY);
        if has_money {
            return self.check_text(&text.without(MONEY));
        }
        self.check_text(text)
    }
}
