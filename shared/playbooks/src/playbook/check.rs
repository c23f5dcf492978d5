//! Checks of a playbook when it is read.

use agent::{ActionType, FactCondition, Reversibility, Risk, TargetRead};
use serde_json::Value;

use super::{
    Action, Flaw, Matches, Playbook, Verify, gives,
    read::{HTTP, MOST_READS},
    step::{Call, Step, is_pointer},
    values::{GIVEN, MONEY},
};
use crate::template::Template;

impl Playbook {
    pub(super) fn check(&self) -> Result<(), Flaw> {
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
        if let Some(name) = GIVEN.into_iter().chain([MONEY]).find(is_parameter) {
            return Err(Flaw::Given(name));
        }
        self.check_reads()?;
        self.check_findings()?;
        self.check_facts(self.resolved_when.facts())?;
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
        .chain(&action.locks)
        .chain(action.reversible.iter().map(|one| one.parts().1))
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
        // Ids are spelled as the target system returns them, so that each record has one spelling.
        let used = action.entities.iter().chain(&action.locks);
        let used = used.flat_map(Template::placeholders);
        let mut used = used.chain(action.calls().flat_map(Call::placeholders));
        if action.automated
            && let Some(name) = used.find(|name| !self.knows(name))
        {
            return Err(Flaw::NoFact(name.to_owned()));
        }
        self.check_looks(action)
    }

    /// Checks a text of an action, which may also contain the money that it moves.
    fn check_text_of(&self, action: &Action, text: &Template) -> Result<(), Flaw> {
        let amount = action.money.as_ref().and_then(|one| one.amount.as_ref());
        let has_money = amount.is_some() && text.placeholders().any(|name| name == MONEY);
        if has_money {
            return self.check_text(&text.without(MONEY));
        }
        self.check_text(text)
    }

    fn check_reads(&self) -> Result<(), Flaw> {
        if self.reads.len() > MOST_READS {
            return Err(Flaw::ManyReads);
        }
        for (at, read) in self.reads.iter().enumerate() {
            let flaw = |what| Flaw::Read(read.name.clone(), what);
            if !is_name(&read.name) || !read.facts.keys().all(|name| is_name(name)) {
                return Err(flaw("names are lower-case letters and underscores"));
            }
            if self.reads.iter().take(at).any(|one| one.name == read.name) {
                return Err(flaw("another one is called the same"));
            }
            if !read.path.is_path() {
                return Err(flaw(
                    "a path begins with a slash, and a placeholder of it is a whole segment",
                ));
            }
            if read.facts.is_empty() || read.facts.contains_key(HTTP) {
                return Err(flaw("it has facts, and http is not one to name"));
            }
            if !read.facts.values().all(|pointer| is_pointer(pointer)) {
                return Err(flaw("a fact stands at a JSON pointer"));
            }
            let is_scalar = |value: &Value| {
                let is_text = value.is_string();
                is_text || value.is_number() || value.is_boolean()
            };
            let mut absent = read.absent.iter();
            if !absent.all(|(name, value)| read.facts.contains_key(name) && is_scalar(value)) {
                return Err(flaw(
                    "what is absent is one of its facts, and a text, number or truth value then",
                ));
            }
            let earlier = self.reads.get(..at).unwrap_or_default();
            let is_known = |name: &str| self.is_parameter(name) || gives(earlier, name);
            let mut of_path = read.path.placeholders();
            if let Some(name) = of_path.find(|name| !is_known(name)) {
                return Err(Flaw::NoParameter(name.to_owned()));
            }
            let mut of_connection = read.connection.placeholders();
            let given = |name: &&str| !GIVEN.contains(name);
            if let Some(name) = of_connection.find(given) {
                return Err(Flaw::Unknown(name.to_owned()));
            }
        }
        Ok(())
    }

    fn check_findings(&self) -> Result<(), Flaw> {
        for (at, finding) in self.findings.iter().enumerate() {
            let flaw = |what| Flaw::Finding(finding.id.clone(), what);
            let mut earlier = self.findings.iter().take(at);
            if finding.id.is_empty() || earlier.any(|one| one.id == finding.id) {
                return Err(flaw("it has an id of its own"));
            }
            let is_ratio = |weight: f64| weight.is_finite() && weight > 0.0;
            if !is_ratio(finding.weight) || !is_ratio(finding.otherwise) {
                return Err(flaw("a weight is above 0"));
            }
            if finding.when.0.is_empty() && (finding.weight >= 1.0 || finding.cause.is_some()) {
                return Err(flaw(
                    "what always holds speaks for nothing: it has a weight below 1 and no cause",
                ));
            }
            self.check_facts(finding.when.facts())?;
            self.check_text(&finding.says)?;
            finding
                .cause
                .iter()
                .try_for_each(|text| self.check_text(text))?;
        }
        Ok(())
    }

    /// Checks an action's conditions on facts, before and after it runs.
    fn check_looks(&self, action: &Action) -> Result<(), Flaw> {
        let kind: ActionType = action.action_type;
        let moves_money = action.automated && moves_money(kind);
        if moves_money != action.money.is_some() {
            return Err(Flaw::Money(kind));
        }
        if action.money.as_ref().is_some_and(|one| !one.is_sound()) {
            return Err(Flaw::Amount(kind));
        }
        self.check_facts(action.when.facts().chain(action.require.facts()))?;
        let mut still_comes = false;
        if let Some(money) = &action.money {
            self.check_facts(money.facts())?;
            still_comes = money.moves_cash();
        }
        let reversible = action.reversible.as_ref().map(|one| one.parts().0);
        if action.automated && reversible.is_none() {
            return Err(Flaw::Reversible(kind));
        }
        if reversible == Some(Reversibility::No) && action.risk < Risk::Critical {
            return Err(Flaw::Irreversible(kind));
        }
        let verify = action.verify.as_ref().map(Verify::condition);
        let reconciles = action.steps.iter().filter_map(Step::reconcile);
        let mut conditions: Vec<FactCondition> = verify.into_iter().collect();
        for reconcile in reconciles {
            if still_comes && reconcile.not_done.is_some() {
                return Err(Flaw::StillComes(kind));
            }
            conditions.extend(reconcile.conditions().cloned());
        }
        let requires = !action.require.0.is_empty();
        if !action.automated && (requires || !conditions.is_empty()) {
            return Err(Flaw::Looks(kind));
        }
        self.check_facts(conditions.iter().flat_map(FactCondition::facts))
    }

    fn check_facts<'a>(&self, facts: impl IntoIterator<Item = &'a str>) -> Result<(), Flaw> {
        let unknown = facts.into_iter().find(|fact| !self.knows(fact));
        unknown.map_or(Ok(()), |fact| Err(Flaw::NoFact(fact.to_owned())))
    }

    fn check_text(&self, text: &Template) -> Result<(), Flaw> {
        let is_known =
            |name: &str| self.is_parameter(name) || GIVEN.contains(&name) || self.knows(name);
        let unknown = text.placeholders().find(|name| !is_known(name));
        unknown.map_or(Ok(()), |name| Err(Flaw::Unknown(name.to_owned())))
    }

    fn is_parameter(&self, name: &str) -> bool {
        self.parameters.contains_key(name)
    }
}

/// True for a kind of action that changes what a customer pays or owes, now or with a later invoice.
const fn moves_money(kind: ActionType) -> bool {
    !matches!(
        kind,
        ActionType::PauseCollection
            | ActionType::ResendWebhooks
            | ActionType::SyncCustomer
            | ActionType::NotifyCustomer
            | ActionType::ManualReview
    )
}

fn is_name(name: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte == b'_';
    !name.is_empty() && name.bytes().all(is_plain)
}

/// Returns the reads that the conditions use, each once.
pub(super) fn spoken_of<'a>(
    reads: impl IntoIterator<Item = &'a TargetRead>,
    conditions: &[FactCondition],
) -> Vec<TargetRead> {
    let spoken_of = |read: &&TargetRead| {
        let mut facts = conditions.iter().flat_map(FactCondition::facts);
        facts.any(|fact| {
            fact.split_once('.')
                .is_some_and(|(name, _)| name == read.name)
        })
    };
    reads.into_iter().filter(spoken_of).cloned().collect()
}
