//! Playbooks: what is known of a kind of signal. They are files beside the code, versioned with
//! it; all of them are checked whenever a function starts and in the tests.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Map, Value};
use shared::{
    model::{
        ActionStep, ActionType, AlreadyDone, ApiCall, JsonText, Money, ProposedAction, Risk, Signal,
    },
    target_systems::{METHODS, TargetSystems},
};

use super::template::{Json, Template, segment};

/// The files, with their names for messages.
const FILES: [(&str, &str); 8] = [
    file(
        "customer-out-of-sync",
        include_str!("../../playbooks/customer-out-of-sync.toml"),
    ),
    file("fallback", include_str!("../../playbooks/fallback.toml")),
    file(
        "invoice-duplicated",
        include_str!("../../playbooks/invoice-duplicated.toml"),
    ),
    file(
        "invoice-not-finalized",
        include_str!("../../playbooks/invoice-not-finalized.toml"),
    ),
    file(
        "payment-declined",
        include_str!("../../playbooks/payment-declined.toml"),
    ),
    file(
        "payment-failed",
        include_str!("../../playbooks/payment-failed.toml"),
    ),
    file(
        "usage-batch-stuck",
        include_str!("../../playbooks/usage-batch-stuck.toml"),
    ),
    file(
        "usage-events-missing",
        include_str!("../../playbooks/usage-events-missing.toml"),
    ),
];

const fn file(name: &'static str, text: &'static str) -> (&'static str, &'static str) {
    (name, text)
}

/// All playbooks.
#[derive(Debug)]
pub(super) struct Playbooks {
    playbooks: Vec<Playbook>,
    /// What is used where none matches.
    fallback: Playbook,
}

/// What is known of a kind of signal.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Playbook {
    name: String,
    /// Raised with every change, for the log and for whoever compares.
    version: u32,
    pub(super) root_cause: Template,
    pub(super) impact: Template,
    /// Systems that it touches besides the signal's and those that actions call.
    #[serde(default)]
    pub(super) affected_systems: Vec<String>,
    #[serde(rename = "match")]
    pub(super) matches: Matches,
    #[serde(default)]
    parameters: BTreeMap<String, Source>,
    pub(super) actions: Vec<Action>,
}

/// What a signal must have.
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

/// Where a parameter's value comes from, and its type.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Source {
    /// The id of the signal's first entity of that type.
    Entity(String),
    /// A label, as text.
    Label(String),
    /// A label that is a whole number.
    IntegerLabel(String),
    /// The amount at risk in the currency's smallest unit, a whole number.
    AmountAtRisk,
    /// The currency of the amount at risk, as text.
    Currency,
}

/// An action of a playbook.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(
    clippy::struct_field_names,
    reason = "the file's field is named like the API's"
)]
pub(super) struct Action {
    action_type: ActionType,
    target_system: Template,
    description: Template,
    expected_outcome: Template,
    risk: Risk,
    automated: bool,
    /// Minutes that a person would need.
    #[serde(default)]
    minutes: u16,
    #[serde(default)]
    entities: Vec<Template>,
    steps: Vec<Step>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Step {
    description: Template,
    method: Option<String>,
    path: Option<Template>,
    body: Option<Map<String, Value>>,
    #[serde(default)]
    expect: Vec<u16>,
    #[serde(default)]
    already_done: Vec<AlreadyDone>,
}

/// Texts that every playbook may use without naming a source.
const GIVEN: [&str; 4] = ["amount_at_risk", "state", "target_system", "title"];

/// The values of a playbook's parameters for one signal.
#[derive(Debug)]
pub(super) struct Values {
    /// With their types, for paths and bodies.
    parameters: BTreeMap<String, Value>,
    /// Texts for people.
    given: BTreeMap<&'static str, String>,
}

impl Playbooks {
    /// Those of this function.
    pub(super) fn shipped() -> Result<Self, String> {
        Self::read(FILES)
    }

    fn read<'a>(files: impl IntoIterator<Item = (&'a str, &'a str)>) -> Result<Self, String> {
        let mut fallback = None;
        let mut playbooks: Vec<Playbook> = Vec::new();
        for (name, text) in files {
            let wrong = |problem: String| format!("playbook {name}: {problem}");
            let playbook: Playbook =
                toml::from_str(text).map_err(|error| wrong(error.to_string()))?;
            playbook.check(name).map_err(wrong)?;
            if playbooks
                .iter()
                .any(|other| other.matches == playbook.matches)
            {
                return Err(wrong("another one matches the same".to_owned()));
            }
            if playbook.matches == Matches::default() {
                fallback = Some(playbook);
            } else {
                playbooks.push(playbook);
            }
        }
        Ok(Self {
            playbooks,
            fallback: fallback.ok_or("no playbook is the fallback")?,
        })
    }

    /// The matching playbook that asks most of the signal; of several, the first by name.
    pub(super) fn for_signal(&self, signal: &Signal) -> &Playbook {
        self.playbooks
            .iter()
            .filter(|playbook| playbook.matches.fit(signal))
            .max_by(|a, b| {
                let specificity = a.matches.specificity().cmp(&b.matches.specificity());
                specificity.then_with(|| b.name.cmp(&a.name))
            })
            .unwrap_or(&self.fallback)
    }
}

impl Matches {
    fn fit(&self, signal: &Signal) -> bool {
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

    /// How much is asked of the signal: one for its class, its target system, each entity type
    /// and each label. 0 for the fallback.
    pub(super) fn specificity(&self) -> u16 {
        let single =
            usize::from(self.signal_type.is_some()) + usize::from(self.target_system.is_some());
        let asked = single + self.entity_types.len() + self.labels.len();
        u16::try_from(asked).unwrap_or(u16::MAX)
    }
}

impl Playbook {
    /// Every fault that would show only when a signal comes.
    fn check(&self, file: &str) -> Result<(), String> {
        if self.name != file {
            return Err(format!("it calls itself {:?}", self.name));
        }
        if self.version == 0 {
            return Err("versions count from 1".to_owned());
        }
        if self.matches.signal_type.is_none() && self.matches != Matches::default() {
            return Err("it matches signals of any class, and is not the fallback".to_owned());
        }
        if self.actions.is_empty() {
            return Err("it has no actions".to_owned());
        }
        if let Some(name) = GIVEN
            .iter()
            .find(|name| self.parameters.contains_key(**name))
        {
            return Err(format!("{name} is given and cannot be a parameter"));
        }
        self.check_text(&self.root_cause)?;
        self.check_text(&self.impact)?;
        self.actions
            .iter()
            .try_for_each(|action| self.check_action(action))
    }

    fn check_action(&self, action: &Action) -> Result<(), String> {
        for text in [
            &action.target_system,
            &action.description,
            &action.expected_outcome,
        ]
        .into_iter()
        .chain(&action.entities)
        {
            self.check_text(text)?;
        }
        let name = format!("{:?}", action.action_type);
        if action.steps.is_empty() {
            return Err(format!("{name} has no steps"));
        }
        if action.automated == (action.action_type == ActionType::ManualReview) {
            return Err(format!(
                "{name} is automated, or is not, against its nature"
            ));
        }
        if action.automated && action.minutes == 0 {
            return Err(format!("{name} saves no minutes"));
        }
        for step in &action.steps {
            self.check_text(&step.description)?;
            match (&step.method, &step.path) {
                (Some(method), Some(path)) if action.automated => {
                    self.check_call(step, method, path)?;
                }
                (None, None) if !action.automated => {}
                _ => return Err(format!("{name}: a step calls exactly if it is automated")),
            }
        }
        Ok(())
    }

    fn check_call(&self, step: &Step, method: &str, path: &Template) -> Result<(), String> {
        if !METHODS.contains(&method) {
            return Err(format!("{method:?} is no method"));
        }
        if !path.is_path() {
            return Err("a placeholder of a path is not a whole segment".to_owned());
        }
        if step.expect.is_empty() || !step.expect.iter().all(|status| (200..300).contains(status)) {
            return Err("a call expects at least one status, all of them 2xx".to_owned());
        }
        let body = step
            .body
            .clone()
            .map_or(Ok(None), |body| Json::read(Value::Object(body)).map(Some))?;
        let in_body = body.as_ref().map(Json::placeholders).unwrap_or_default();
        match path
            .placeholders()
            .chain(in_body)
            .find(|name| !self.parameters.contains_key(*name))
        {
            Some(name) => Err(format!("{{{name}}} is no parameter that a call may use")),
            None => Ok(()),
        }
    }

    fn check_text(&self, text: &Template) -> Result<(), String> {
        let unknown = text
            .placeholders()
            .find(|name| !self.parameters.contains_key(*name) && !GIVEN.contains(name));
        unknown.map_or(Ok(()), |name| Err(format!("{{{name}}} is unknown")))
    }

    /// What the signal gives for the parameters; some may be missing.
    pub(super) fn values(&self, signal: &Signal) -> Values {
        let parameters = self
            .parameters
            .iter()
            .filter_map(|(name, source)| Some((name.clone(), source.value(signal)?)))
            .collect();
        let mut given = BTreeMap::from([
            ("title", signal.title.clone()),
            ("target_system", signal.target_system.clone()),
        ]);
        if let Some(amount) = &signal.amount_at_risk {
            given.insert("amount_at_risk", money(amount));
        }
        if let Some(last) = signal.lifecycle.last() {
            given.insert("state", last.state.clone());
        }
        Values { parameters, given }
    }
}

impl Source {
    fn value(&self, signal: &Signal) -> Option<Value> {
        match self {
            Self::Entity(kind) => {
                let entity = signal.entities.iter().find(|entity| entity.kind == *kind)?;
                // An empty segment or a dot segment would be another path.
                let is_usable = !entity.id.is_empty() && !entity.id.bytes().all(|b| b == b'.');
                is_usable.then(|| Value::from(entity.id.as_str()))
            }
            Self::Label(name) => signal
                .labels
                .get(name)
                .map(|text| Value::from(text.as_str())),
            Self::IntegerLabel(name) => {
                let number: i64 = signal.labels.get(name)?.parse().ok()?;
                Some(Value::from(number))
            }
            Self::AmountAtRisk => Some(Value::from(signal.amount_at_risk.as_ref()?.minor_units)),
            Self::Currency => {
                let money = signal.amount_at_risk.as_ref()?;
                Some(Value::from(money.currency.as_str()))
            }
        }
    }
}

impl Values {
    fn plain(&self, name: &str) -> Option<String> {
        if let Some(text) = self.given.get(name) {
            return Some(text.clone());
        }
        self.parameters.get(name).map(|value| match value {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        })
    }

    /// A text for people, in which what is missing is called unknown.
    pub(super) fn text(&self, template: &Template) -> String {
        template
            .render(|name| {
                let missing = || format!("(unknown {})", name.replace('_', " "));
                Some(self.plain(name).unwrap_or_else(missing))
            })
            .unwrap_or_default()
    }

    fn path(&self, template: &Template) -> Result<String, String> {
        template.render(|name| {
            let value = self.parameters.get(name)?;
            let text = value
                .as_str()
                .map_or_else(|| value.to_string(), str::to_owned);
            Some(segment(&text))
        })
    }
}

impl Action {
    /// The action for one signal. An automated one that cannot run, because the signal lacks a
    /// parameter or the configuration does not allow a call, becomes a manual one that says why.
    pub(super) fn render(&self, values: &Values, targets: &TargetSystems) -> ProposedAction {
        let target_system = values.text(&self.target_system);
        let mut description = values.text(&self.description);
        let mut obstacle = None;
        let mut steps = Vec::new();
        for (order, step) in (1..).zip(&self.steps) {
            let call = match step.call(values) {
                Ok(call) => call,
                Err(missing) => {
                    let missing = missing.replace('_', " ");
                    obstacle = Some(format!("the signal does not name the {missing}"));
                    None
                }
            };
            if let Some(call) = &call {
                match targets.get(&target_system) {
                    None => obstacle = Some(format!("{target_system} is not configured")),
                    Some(target) if !target.allows(&call.method, &call.path) => {
                        obstacle = Some(format!("{} is not allowed", call.summary()));
                    }
                    Some(_) => {}
                }
            }
            steps.push(ActionStep {
                order,
                description: values.text(&step.description),
                call,
            });
        }
        if let Some(obstacle) = &obstacle {
            description = format!("{description} A person has to do it, since {obstacle}.");
        }
        ProposedAction {
            id: String::new(),
            action_type: self.action_type,
            description,
            is_automated: self.automated && obstacle.is_none(),
            target_system,
            target_entities: self
                .entities
                .iter()
                .filter_map(|entity| entity.render(|name| values.plain(name)).ok())
                .collect(),
            expected_outcome: values.text(&self.expected_outcome),
            risk: self.risk,
            steps,
            minutes_saved: i64::from(self.minutes),
        }
    }
}

impl Step {
    /// The call; none for a step that a person does. The error names the parameter that is
    /// missing.
    fn call(&self, values: &Values) -> Result<Option<ApiCall>, String> {
        let (Some(method), Some(path)) = (&self.method, &self.path) else {
            return Ok(None);
        };
        let body = match &self.body {
            None => None,
            Some(body) => {
                let template = Json::read(Value::Object(body.clone()))?;
                match template.render(&|name| values.parameters.get(name).cloned())? {
                    Value::Object(body) => Some(JsonText(body)),
                    _ => None,
                }
            }
        };
        Ok(Some(ApiCall {
            method: method.clone(),
            path: values.path(path)?,
            body,
            expect: self.expect.clone(),
            already_done: self.already_done.clone(),
        }))
    }
}

/// An amount in its currency's main unit: `4821.00 USD`. The decimals are those of ISO 4217.
pub(super) fn money(money: &Money) -> String {
    let currency = money.currency.to_ascii_uppercase();
    let decimals: u32 = match currency.as_str() {
        "BIF" | "CLP" | "DJF" | "GNF" | "ISK" | "JPY" | "KMF" | "KRW" | "PYG" | "RWF" | "UGX"
        | "VND" | "VUV" | "XAF" | "XOF" | "XPF" => 0,
        "BHD" | "IQD" | "JOD" | "KWD" | "LYD" | "OMR" | "TND" => 3,
        _ => 2,
    };
    let unit = 10_u64.pow(decimals);
    let sign = if money.minor_units < 0 { "-" } else { "" };
    let (whole, rest) = (
        money.minor_units.unsigned_abs() / unit,
        money.minor_units.unsigned_abs() % unit,
    );
    if decimals == 0 {
        return format!("{sign}{whole} {currency}");
    }
    let width = usize::try_from(decimals).unwrap_or_default();
    format!("{sign}{whole}.{rest:0width$} {currency}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_playbook_is_sound_and_listed() {
        let playbooks = Playbooks::shipped().unwrap();
        assert!(playbooks.playbooks.len() >= 5);
        let mut files: Vec<String> =
            std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/playbooks"))
                .unwrap()
                .map(|file| file.unwrap().file_name().into_string().unwrap())
                .collect();
        files.sort();
        let listed: Vec<String> = FILES
            .iter()
            .map(|(name, _)| format!("{name}.toml"))
            .collect();
        assert_eq!(files, listed);
    }

    /// An automated action that no configuration allows would never be more than a manual one.
    #[test]
    fn every_call_is_allowed_by_the_demo_systems() {
        let demo = local::target_systems::DemoTargets::start(0, None).unwrap();
        let targets = TargetSystems::parse(&demo.settings().to_string()).unwrap();
        let playbooks = Playbooks::shipped().unwrap();
        for playbook in &playbooks.playbooks {
            let parameters = playbook.parameters.keys();
            let values = Values {
                parameters: parameters
                    .map(|name| (name.clone(), Value::from("x")))
                    .collect(),
                given: BTreeMap::new(),
            };
            for action in &playbook.actions {
                let rendered = action.render(&values, &targets);
                assert_eq!(
                    rendered.is_automated, action.automated,
                    "{}: {}",
                    playbook.name, rendered.description
                );
            }
        }
    }

    fn problem(text: &str) -> String {
        let fallback = ("fallback", include_str!("../../playbooks/fallback.toml"));
        Playbooks::read([fallback, ("broken", text)]).unwrap_err()
    }

    #[test]
    fn a_broken_playbook_is_named_with_its_fault() {
        let sound = include_str!("../../playbooks/usage-batch-stuck.toml")
            .replace("name = \"usage-batch-stuck\"", "name = \"broken\"");
        for (from, to, fault) in [
            ("version = 1", "version = 0", "count from 1"),
            ("name = \"broken\"", "name = \"other\"", "calls itself"),
            ("{state} and", "{stat} and", "{stat} is unknown"),
            ("/{batch}/", "/{bach}/", "{bach} is no parameter"),
            ("/{batch}/", "/{title}/", "{title} is no parameter"),
            ("/{batch}/", "/b-{batch}/", "whole segment"),
            ("reprocess_usage_batch", "format_disk", "unknown variant"),
            ("\"POST\"", "\"SEND\"", "no method"),
            ("expect = [200, 202]", "expect = []", "at least one status"),
            ("expect = [200, 202]", "expect = [404]", "2xx"),
            (
                "automated = true",
                "automated = false",
                "against its nature",
            ),
            ("minutes = 25", "minutes = 0", "saves no minutes"),
            ("risk = \"low\"", "risk = \"none\"", "unknown variant"),
            ("risk = \"low\"", "rissk = \"low\"", "unknown field"),
            (
                "signal_type = \"usage_batch_stuck\"",
                "",
                "not the fallback",
            ),
        ] {
            assert!(sound.contains(from), "{from}");
            let problem = problem(&sound.replacen(from, to, 1));
            assert!(problem.contains("playbook broken"), "{problem}");
            assert!(problem.contains(fault), "{from} -> {to}: {problem}");
        }
    }

    #[test]
    fn money_has_its_currencys_decimals() {
        for (minor_units, currency, text) in [
            (482_105, "usd", "4821.05 USD"),
            (-5, "EUR", "-0.05 EUR"),
            (1_000, "JPY", "1000 JPY"),
            (1_001, "KWD", "1.001 KWD"),
        ] {
            let amount = Money {
                minor_units,
                currency: currency.into(),
            };
            assert_eq!(money(&amount), text);
        }
    }
}
