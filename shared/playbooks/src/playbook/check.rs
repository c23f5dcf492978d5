//! Checks of a playbook when it is read. A flaw is the reason, in words, why it cannot be used.

use super::{
    Action, Playbook, Supposition,
    condition::{NO_PATH, is_scalar, none_of},
    gives,
    read::{HTTP, MOST_READS, ReadInFile},
    step::Step,
    values::{GIVEN, MONEY},
    verify::Verify,
};
use crate::prelude::*;

impl Playbook {
    pub(super) fn check(&self) -> Result<(), String> {
        let of_any = "it matches alerts of any class, and is not the fallback";
        let is_of_any = self.matches.signal_type.is_none() && !self.is_fallback();
        let flaws = [
            (self.version == 0, "versions count from 1"),
            (is_of_any, of_any),
            (self.actions.is_empty(), "it has no actions"),
            (self.reads.len() > MOST_READS, "it has more than 5 reads"),
        ];
        none_of("", flaws)?;
        let is_parameter = |name: &&str| self.parameters.contains_key(*name);
        if let Some(name) = GIVEN.into_iter().chain([MONEY]).find(is_parameter) {
            return Err(format!("{name} is given and cannot be a parameter"));
        }
        for (at, read) in self.reads.iter().enumerate() {
            self.check_read(read, self.reads.get(..at).unwrap_or_default())?;
        }
        self.check_findings()?;
        self.check_facts(self.resolved_when.facts())?;
        let mut ends = self.resolved_when.0.iter().map(|one| &one.0.expected);
        if ends.any(|end| matches!(end, Expectation::IsNot(_) | Expectation::DiffersFrom(_))) {
            return Err("resolved_when says what is, not what is no more".to_owned());
        }
        self.check_text(&self.root_cause)?;
        self.check_text(&self.impact)?;
        let mut actions = self.actions.iter();
        actions.try_for_each(|action| self.check_action(action))?;
        self.check_order()
    }

    fn check_action(&self, action: &Action) -> Result<(), String> {
        let (kind, automated) = (action.action_type, action.automated);
        action.steps.iter().try_for_each(Step::check)?;
        let amount = action.money.as_ref().and_then(|one| one.amount.as_ref());
        let texts = [&action.target_system, &action.description];
        let texts = texts.into_iter().chain([&action.expected_outcome]);
        let texts = texts.chain(&action.records).chain(&action.customer);
        let texts = texts.chain(action.reversible.iter().map(|one| one.parts().1));
        let texts = texts.chain(action.steps.iter().map(|step| &step.description));
        // They may also contain its money.
        let names = texts.flat_map(Template::placeholders);
        self.check_placeholders(names.filter(|name| amount.is_none() || *name != MONEY))?;
        let (mut records, mut steps) = (action.records.iter(), action.steps.iter());
        let reconciles = action.steps.iter().filter_map(Step::reconcile);
        let reconciles: Vec<Reconciliation> = reconciles.collect();
        let verify: Vec<FactCondition> = action.verify.iter().flat_map(Verify::facts).collect();
        let money = action.money.as_ref();
        let reversible = action.reversible.as_ref().map(|one| one.parts().0);
        let irreversible = reversible == Some(Reversibility::No);
        let no_kind = automated == (kind == ActionType::ManualReview);
        let no_records = automated && action.records.is_empty();
        let no_ids = !records.clone().all(|one| one.is_record(None));
        let names_invoice = records.any(|one| one.is_record(Some("invoice")));
        let no_invoice = automated && kind.changes_invoice() && !names_invoice;
        let sends = automated && kind == ActionType::NotifyCustomer;
        let other_customer = sends != action.customer.is_some();
        let other_calls = !steps.all(|step| step.method.is_some() == automated);
        let other_money = (automated && moves_money(kind)) != money.is_some();
        let no_amount = money.is_some_and(|one| {
            let is_later = one.direction == MoneyDirection::CustomerIsBilledLater;
            one.amount.is_some() == is_later || one.currency.is_some() == is_later
        });
        let verified_amount = action.verify.as_ref().and_then(|one| one.amount.as_ref());
        let other_amount = amount.is_some() != verified_amount.is_some();
        let no_undo = automated && reversible.is_none();
        let low_risk = irreversible && action.risk < Risk::Critical;
        let denies = reconciles.iter().any(|one| one.not_done.is_some());
        let denies_transfer = denies && money.is_some_and(|one| one.direction.is_transfer());
        // They would never be checked.
        let checks = !verify.is_empty() || !reconciles.is_empty() || !action.require.0.is_empty();
        let vain_checks = !automated && checks;
        let refuted = " takes or repays money: that a read does not show it does not prove that it will not \
                      still arrive, so that its reconcile has no not_done";
        let unnamed =
            " changes an invoice, its collection or its payment, and names no invoice/{id}";
        let flaws = [
            (action.steps.is_empty(), " has no steps"),
            (no_kind, " is automated, or is not, against its nature"),
            (automated && action.minutes == 0, " saves no minutes"),
            (no_records, " names no record that it acts on"),
            (no_ids, ": a record is `kind/{id}`"),
            (no_invoice, unnamed),
            (
                other_customer,
                " names a customer exactly if it sends one a message",
            ),
            (other_calls, ": a step calls exactly if it is automated"),
            (
                other_money,
                " says the money that it moves exactly if it moves some by itself",
            ),
            (
                no_amount,
                ": money has amount and currency, unless the customer is billed later",
            ),
            (
                other_amount,
                " asks for the amount in verify exactly if money has one",
            ),
            (
                no_undo,
                " does not say in reversible how it is taken back, or that it cannot be",
            ),
            (low_risk, " cannot be undone, so that its risk is critical"),
            (denies_transfer, refuted),
            (
                vain_checks,
                " is done by a person, and requires and verifies nothing",
            ),
        ];
        none_of(&format!("{kind:?}"), flaws)?;
        // Ids are spelled as the target system returns them, so that each record has one spelling.
        let used = action.records.iter().chain(&action.customer);
        let used = used.flat_map(Template::placeholders);
        let used = used.chain(action.steps.iter().flat_map(Step::placeholders));
        self.check_facts(used.filter(|_| automated))?;
        self.check_facts(action.when.facts().chain(action.require.facts()))?;
        self.check_facts(money.iter().flat_map(|one| one.facts()))?;
        let checked = reconciles.iter().flat_map(Reconciliation::conditions);
        self.check_facts(checked.chain(&verify).flat_map(FactCondition::facts))?;
        action.check_suppositions()
    }

    fn check_read(&self, read: &ReadInFile, earlier: &[ReadInFile]) -> Result<(), String> {
        let facts = &read.facts;
        let is_fact = |(name, value)| facts.contains_key(name) && is_scalar(value);
        let is_unknown = !read.absent.iter().all(is_fact);
        let has_names = is_name(&read.name) && facts.keys().all(|name| is_name(name));
        let is_twin = earlier.iter().any(|one| one.name == read.name);
        let has_facts = !facts.is_empty() && !facts.contains_key(HTTP);
        let has_pointers = facts.values().all(|pointer| is_pointer(pointer));
        let flaws = [
            (!has_names, "names are lower-case letters and underscores"),
            (is_twin, "another one is called the same"),
            (!read.path.is_path(), NO_PATH),
            (!has_facts, "it has facts, and http is not one to name"),
            (!has_pointers, "a fact stands at a JSON pointer"),
            (
                is_unknown,
                "what is absent is one of its facts, and a text, number or truth value then",
            ),
        ];
        none_of(&format!("read {:?}: ", read.name), flaws)?;
        let is_known = |name: &str| self.parameters.contains_key(name) || gives(earlier, name);
        if let Some(name) = read.path.placeholders().find(|name| !is_known(name)) {
            let flaw = "is no parameter or earlier fact that a read may use";
            return Err(format!("{{{name}}} {flaw}"));
        }
        let mut of_connection = read.connection.placeholders();
        known(of_connection.find(|name| !GIVEN.contains(name)))
    }

    fn check_findings(&self) -> Result<(), String> {
        for (at, finding) in self.findings.iter().enumerate() {
            let mut earlier = self.findings.iter().take(at);
            let has_id = !finding.id.is_empty() && earlier.all(|one| one.id != finding.id);
            let is_ratio = |weight: f64| weight.is_finite() && weight > 0.0;
            let has_weights = is_ratio(finding.weight) && is_ratio(finding.otherwise);
            let speaks =
                finding.when.0.is_empty() && (finding.weight >= 1.0 || finding.cause.is_some());
            let flaws = [
                (!has_id, "it has an id of its own"),
                (!has_weights, "a weight is above 0"),
                (
                    speaks,
                    "what always holds speaks for nothing: it has a weight below 1 and no cause",
                ),
            ];
            none_of(&format!("finding {:?}: ", finding.id), flaws)?;
            self.check_facts(finding.when.facts())?;
            let mut texts = finding.cause.iter().chain([&finding.says]);
            texts.try_for_each(|text| self.check_text(text))?;
        }
        Ok(())
    }

    fn check_facts<'a>(&self, facts: impl IntoIterator<Item = &'a str>) -> Result<(), String> {
        let unknown = facts.into_iter().find(|fact| !gives(&self.reads, fact));
        unknown.map_or(Ok(()), |fact| Err(format!("{fact:?} is no fact of a read")))
    }

    fn check_text(&self, text: &Template) -> Result<(), String> {
        self.check_placeholders(text.placeholders())
    }

    fn check_placeholders<'a>(
        &self,
        mut names: impl Iterator<Item = &'a str>,
    ) -> Result<(), String> {
        let is_known = |name: &str| {
            let is_given = GIVEN.contains(&name) || self.parameters.contains_key(name);
            is_given || gives(&self.reads, name)
        };
        known(names.find(|name| !is_known(name)))
    }
}

impl Action {
    fn check_suppositions(&self) -> Result<(), String> {
        let is_unclear =
            |one: &&Supposition| one.says.is_empty() || one.manual != one.read.0.is_empty();
        if let Some(one) = self.suppositions.iter().find(is_unclear) {
            let flaw = "names either the facts that show it, or `manual = true`";
            return Err(format!("the supposition {:?} {flaw}", one.says));
        }
        let required: Vec<&str> = self.require.facts().collect();
        let is_required = |fact: &String| required.contains(&fact.as_str());
        let is_covered = |one: &Supposition| !one.manual && one.read.0.iter().all(is_required);
        let are_covered = self.suppositions.iter().all(is_covered);
        let lacks = self.automated && (self.suppositions.is_empty() || !are_covered);
        let flaw = " supposes what no required fact shows, so that it is manual";
        none_of(&format!("{:?}", self.action_type), [(lacks, flaw)])
    }
}

/// Returns the flaw of an unknown placeholder, if there is one.
fn known(unknown: Option<&str>) -> Result<(), String> {
    unknown.map_or(Ok(()), |name| Err(format!("{{{name}}} is unknown")))
}

/// True for a kind of action with an effect on a customer's payments or debts, now or with a later
/// invoice.
const fn moves_money(kind: ActionType) -> bool {
    !matches!(
        kind,
        ActionType::PauseCollection
            | ActionType::ResumeCollection
            | ActionType::ResendWebhooks
            | ActionType::SyncCustomer
            | ActionType::NotifyCustomer
            | ActionType::ManualReview
    )
}
