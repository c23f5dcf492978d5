//! Values of a playbook's placeholders for one alert.

use std::collections::BTreeMap;

use agent::{
    alert::{Alert, Currency, Money},
    check::{FactCondition, Facts, TargetRead, read_of},
    connection::{Connection, SystemKind, Systems},
};
use serde::Deserialize;
use serde_json::Value;

use crate::template::{Missing, Template, is_unseen, plain, quoted, segment};

/// The source of a parameter's value.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Source {
    /// A type of entity: the value is the id of the alert's first one.
    entity: String,
}

/// Names of texts that every playbook may use without a source.
pub(super) const GIVEN: [&str; 2] = [TARGET_SYSTEM, "title"];

const TARGET_SYSTEM: &str = "target_system";

/// The placeholder for an action's money, in that action's texts.
pub(super) const MONEY: &str = "money";

/// The most characters of a fact in a text, a path or a body. Target systems' data may have any
/// length.
const LONGEST_FACT: usize = 200;

/// The values of a playbook's parameters for one alert, and the known facts.
#[derive(Clone, Debug, Default)]
pub(crate) struct Values {
    /// Values with their types, for paths and bodies.
    parameters: BTreeMap<String, Value>,
    given: BTreeMap<&'static str, String>,
    /// The amount that an action moves, in words.
    money: Option<String>,
    facts: Facts,
    /// Amounts in words, by their facts.
    amounts: BTreeMap<String, String>,
    /// Failed reads by name, with the reasons.
    unread: BTreeMap<String, String>,
    /// For each role, the name of the connection that plays it, or why none does. Empty for a
    /// sample.
    roles: BTreeMap<&'static str, Result<String, String>>,
}

impl Values {
    /// Returns the values that an alert gives for the parameters; some may be missing.
    pub(super) fn of(parameters: &BTreeMap<String, Source>, alert: &Alert) -> Self {
        let parameters = parameters.iter();
        let parameters =
            parameters.filter_map(|(name, source)| Some((name.clone(), source.value(alert)?)));
        let title = ("title", alert.title.to_string());
        Self {
            parameters: parameters.collect(),
            given: [title, (TARGET_SYSTEM, alert.target_system.to_string())].into(),
            ..Self::default()
        }
    }

    /// Returns the values with the connections that play the roles for the alert.
    pub(crate) fn within(self, systems: Systems<'_>) -> Self {
        let name = |connection: Result<&Connection, String>| {
            connection.map(|connection| connection.name.to_string())
        };
        let roles = SystemKind::ROLES.map(|kind| (kind.name(), name(systems.playing(kind.name()))));
        let own = (TARGET_SYSTEM, name(systems.own()));
        Self {
            roles: roles.into_iter().chain([own]).collect(),
            ..self
        }
    }

    #[cfg(test)]
    pub(super) fn sample(parameters: BTreeMap<String, Value>, facts: Facts) -> Self {
        Self {
            parameters,
            facts,
            ..Self::default()
        }
    }

    /// Adds the facts of a read, or why it failed.
    pub(crate) fn learn(&mut self, facts: &Facts, read: &str, unread: Option<String>) {
        self.facts.extend(facts.clone());
        self.unread
            .extend(unread.map(|why| (read.to_owned(), why)));
    }

    /// Adds the amounts of a read in words. `kind` is the kind of its system.
    pub(crate) fn learn_amounts(&mut self, read: &TargetRead, kind: SystemKind) {
        let fact = |name: &String| format!("{}.{name}", read.name);
        let Some(currency) = &read.derived.currency else {
            return;
        };
        let currency = self
            .facts
            .get(&fact(currency))
            .and_then(Value::as_str);
        let Some(currency) = currency.and_then(Currency::new) else {
            return;
        };
        for name in &read.derived.amounts {
            let amount = self
                .facts
                .get(&fact(name))
                .and_then(Value::as_i64);
            let amount = amount.map(|minor_units| Money {
                minor_units,
                currency: currency.clone(),
            });
            self.amounts
                .extend(amount.map(|amount| (fact(name), amount.says(kind))));
        }
    }

    /// True if a condition compares two amounts.
    pub(super) fn compares_amounts(&self, condition: &FactCondition) -> bool {
        let is_amount = |name: &str| self.amounts.contains_key(name);
        condition.facts().all(is_amount) && condition.facts().count() == 2
    }

    /// Returns what was found of a condition's facts: `invoice.state is open`.
    pub(super) fn found(&self, condition: &FactCondition) -> String {
        let facts = condition.facts().map(|name| {
            let value = self.shown(name);
            format!("{name} is {}", value.as_deref().unwrap_or("unknown"))
        });
        facts.collect::<Vec<_>>().join(" and ")
    }

    /// Returns the values for the texts of an action that moves this amount in a kind of system.
    pub(super) fn moving(&self, amount: Option<&Money>, kind: SystemKind) -> Self {
        let amount = amount.map(|amount| amount.says(kind));
        Self {
            money: Some(amount.unwrap_or_else(|| "an unknown amount".to_owned())),
            ..self.clone()
        }
    }

    /// Returns why one of these facts is unknown, as part of a sentence; none if all are known.
    pub(super) fn read_error<'a>(
        &self,
        facts: impl IntoIterator<Item = &'a str>,
    ) -> Option<String> {
        let mut facts = facts.into_iter();
        let unknown = facts.find(|fact| !self.facts.contains_key(*fact))?;
        let read = read_of(unknown);
        let not_there = || format!("{unknown} is not in the answer");
        Some(
            self.not_read(read)
                .unwrap_or_else(not_there),
        )
    }

    /// Returns why a value is missing: the alert lacks the parameter, or the fact is unknown.
    pub(crate) fn unknown(&self, name: &str) -> String {
        if !name.contains('.') {
            return missing(name);
        }
        let why = self.read_error([name]);
        why.unwrap_or_else(|| format!("{name} cannot be used as an id"))
    }

    /// Returns that a read failed, and why; none if it succeeded.
    pub(super) fn not_read(&self, read: &str) -> Option<String> {
        let why = self.unread.get(read)?;
        Some(format!("{read} could not be read ({why})"))
    }

    pub(crate) const fn facts(&self) -> &Facts {
        &self.facts
    }

    /// Returns a given text, a fact or a parameter's value for a sentence: texts in backticks, and
    /// numbers plain. A known fact `id` of a read replaces the parameter of the same name.
    pub(super) fn shown(&self, name: &str) -> Option<String> {
        if name == MONEY {
            return self.money.clone();
        }
        if let Some(text) = self.given.get(name) {
            return Some(quoted(text));
        }
        if let Some(amount) = self.amounts.get(name) {
            return Some(amount.clone());
        }
        let id = || self.facts.get(&format!("{name}.id"));
        let fact = self.facts.get(name).or_else(id);
        Some(match fact.or_else(|| self.parameters.get(name))? {
            Value::String(text) => quoted(
                &text
                    .chars()
                    .take(LONGEST_FACT)
                    .collect::<String>(),
            ),
            other => other.to_string(),
        })
    }

    /// Returns the typed value of a parameter, or of a fact within the length limit. None if it has
    /// invisible characters.
    pub(super) fn parameter(&self, name: &str) -> Option<Value> {
        let fact = self.facts.get(name);
        let fact = fact.filter(|fact| {
            fact.as_str()
                .unwrap_or_default()
                .chars()
                .count()
                <= LONGEST_FACT
        });
        let value = fact.or_else(|| self.parameters.get(name))?;
        let is_seen = !value
            .as_str()
            .unwrap_or_default()
            .contains(is_unseen);
        is_seen.then(|| value.clone())
    }

    /// Renders a text for people, with `(unknown …)` for a missing value.
    pub(crate) fn text(&self, template: &Template) -> String {
        let text = template.render(|name| {
            let missing = || format!("(unknown {})", name.replace(['_', '.'], " "));
            Some(self.shown(name).unwrap_or_else(missing))
        });
        text.unwrap_or_default()
    }

    /// Returns the name of the connection that plays a role. Without one, the role, or the alert's
    /// system.
    pub(super) fn name(&self, template: &Template) -> String {
        let given_value = |name: &str| self.given.get(name).cloned();
        let named = || {
            template
                .render(given_value)
                .unwrap_or_default()
        };
        let system = self
            .system(template)
            .and_then(Result::ok);
        system.unwrap_or_else(named)
    }

    /// Returns why no connection plays a role.
    pub(super) fn unresolved(&self, template: &Template) -> Option<String> {
        self.system(template)?.err()
    }

    fn system(&self, template: &Template) -> Option<Result<String, String>> {
        // A role, or `{target_system}` alone.
        let role = template
            .render(|name| Some(name.to_owned()))
            .ok()?;
        self.roles.get(role.as_str()).cloned()
    }

    /// Renders an id: exactly as it was read.
    pub(super) fn id(&self, template: &Template) -> Result<String, Missing> {
        template.render(|name| self.parameter(name).map(plain))
    }

    /// Renders a path. No value can leave its segment.
    pub(super) fn path(&self, template: &Template) -> Result<String, Missing> {
        template.render(|name| {
            let value = plain(self.parameter(name)?);
            is_segment(&value).then(|| segment(&value))
        })
    }
}

/// Returns why a placeholder is empty: an unknown fact, or a parameter that the alert lacks.
pub(super) fn missing(name: &str) -> String {
    if name.contains('.') {
        return format!("{name} is not known");
    }
    format!("the alert does not name the {}", name.replace('_', " "))
}

impl Source {
    pub(super) fn entity(&self) -> &str {
        &self.entity
    }

    fn value(&self, alert: &Alert) -> Option<Value> {
        let mut entities = alert.entities.iter();
        let entity = entities.find(|entity| *entity.r#type == *self.entity)?;
        is_segment(&entity.id).then(|| Value::from(&*entity.id))
    }
}

/// True for a safe segment of a path. Empty and dot segments would lead to another path, as would a
/// slash that is decoded too early. Invisible characters cannot be reviewed.
fn is_segment(value: &str) -> bool {
    let is_dots = value.bytes().all(|byte| byte == b'.');
    !is_dots && !value.contains(|character| matches!(character, '/' | '\\') || is_unseen(character))
}
