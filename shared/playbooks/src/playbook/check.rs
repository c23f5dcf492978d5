//! Checks of a playbook when it is read. A flaw is the reason, in words, why it cannot be used.

use std::collections::BTreeSet;

use agent::{
    action::{ActionType, MoneyDirection, Reversibility, Risk},
    check::{Expectation, FactCondition, Facts, Reconciliation, TargetRead, read_of},
    connection::{SystemKind, is_pointer},
};
use serde_json::Value;

use crate::template::{Template, is_name};

use super::{
    Action, Playbook,
    condition::{NO_PATH, is_scalar, none_of},
    gives,
    read::{Basis, HTTP, MOST_READS, ReadInFile},
    step::Step,
    values::{GIVEN, MONEY},
    verify::Verify,
};

impl Playbook {
    pub(super) fn check(&self) -> Result<(), String> {
        let of_any = "it matches alerts of any class, and is not the fallback";
        let is_of_any = self.matches.signal_type.is_none() && !self.is_fallback();
        let flaws = [
            (self.version == 0, "versions count from 1"),
            (is_of_any, of_any),
            (self.actions.is_empty(), "it has no actions"),
            (self.reads.len() > MOST_READS, "it has more than 6 reads"),
        ];
        none_of("", flaws)?;
        let is_parameter = |name: &&str| self.parameters.contains_key(*name);
        if let Some(name) = GIVEN
            .into_iter()
            .chain([MONEY])
            .find(is_parameter)
        {
            return Err(format!("{name} is given and cannot be a parameter"));
        }
        for (at, read) in self.reads.iter().enumerate() {
            self.check_read(read, self.reads.get(..at).unwrap_or_default())?;
        }
        self.check_findings()?;
        self.check_facts(self.resolved_when.facts())?;
        let of_findings = self
            .findings
            .iter()
            .flat_map(|finding| finding.when.each());
        let of_causes = self
            .causes
            .iter()
            .flat_map(|cause| cause.when.each());
        self.check_times(
            of_findings
                .chain(of_causes)
                .chain(self.resolved_when.each()),
        )?;
        let mut ends = self
            .resolved_when
            .0
            .iter()
            .map(|end| &end.0.expected);
        if ends.any(|end| matches!(end, Expectation::IsNot(_) | Expectation::DiffersFrom(_))) {
            return Err("resolved_when says what is, not what is no more".to_owned());
        }
        self.check_text(&self.root_cause)?;
        self.check_text(&self.impact)?;
        let mut actions = self.actions.iter();
        actions.try_for_each(|action| self.check_action(action))?;
        self.check_order()
    }

    /// Texts have placeholders of facts. Those of an action with an amount may have its money, too.
    fn check_texts(&self, action: &Action) -> Result<(), String> {
        let money = action.money.as_ref();
        let amount = money.and_then(|money| money.amount.as_ref());
        let texts = [&action.target_system, &action.description];
        let texts = texts
            .into_iter()
            .chain([&action.expected_outcome]);
        let texts = texts
            .chain(&action.records)
            .chain(&action.customer);
        let texts = texts.chain(
            action
                .reversible
                .iter()
                .map(|undo| undo.parts().1),
        );
        let texts = texts.chain(
            action
                .steps
                .iter()
                .map(|step| &step.description),
        );
        let names = texts.flat_map(Template::placeholders);
        self.check_placeholders(names.filter(|name| amount.is_none() || *name != MONEY))
    }

    fn check_action(&self, action: &Action) -> Result<(), String> {
        let kind = action.action_type;
        let automated = action.automated;
        action
            .steps
            .iter()
            .try_for_each(Step::check)?;
        let money = action.money.as_ref();
        let amount = money.and_then(|money| money.amount.as_ref());
        self.check_texts(action)?;
        let mut records = action.records.iter();
        let mut steps = action.steps.iter();
        let reconciles = action
            .steps
            .iter()
            .filter_map(Step::reconcile);
        let reconciles: Vec<Reconciliation> = reconciles.collect();
        let verify: Vec<FactCondition> = action
            .verify
            .iter()
            .flat_map(Verify::facts)
            .collect();
        let reversible = action
            .reversible
            .as_ref()
            .map(|undo| undo.parts().0);
        let irreversible = reversible == Some(Reversibility::No);
        let no_kind = automated == (kind == ActionType::ManualReview);
        let no_records = automated && action.records.is_empty();
        let no_ids = !records
            .clone()
            .all(|record| record.is_record(None));
        let names_invoice = records.any(|record| record.is_record(Some("invoice")));
        let no_invoice = automated && kind.changes_invoice() && !names_invoice;
        let sends = automated && kind == ActionType::NotifyCustomer;
        let other_customer = sends != action.customer.is_some();
        let other_calls = !steps.all(|step| step.method.is_some() == automated);
        let other_money = (automated && moves_money(kind)) != money.is_some();
        let no_amount = money.is_some_and(|money| {
            let is_later = money.direction == MoneyDirection::CustomerIsBilledLater;
            money.amount.is_some() == is_later || money.currency.is_some() == is_later
        });
        let verified_amount = action
            .verify
            .as_ref()
            .and_then(|verification| verification.amount.as_ref());
        let other_amount = amount.is_some() != verified_amount.is_some();
        let no_undo = automated && reversible.is_none();
        let low_risk = irreversible && action.risk < Risk::Critical;
        let denies = reconciles
            .iter()
            .any(|reconciliation| reconciliation.not_done.is_some());
        let denies_transfer = denies && money.is_some_and(|money| money.direction.is_transfer());
        // They would never be checked.
        let checks = !verify.is_empty() || !reconciles.is_empty();
        let vain_checks = !automated && checks;
        let refuted = " takes or repays money: that a read does not show it does not prove that it will not \
                      still arrive, so that its reconcile has no not_done";
        let unnamed =
            " changes an invoice, its collection or its payment, and names no invoice/{id}";
        let flaws = [
            (action.steps.is_empty(), " has no steps"),
            (!is_role(&action.target_system), NO_ROLE),
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
            (vain_checks, " is done by a person, and verifies nothing"),
        ];
        none_of(&format!("{kind:?}"), flaws)?;
        // Ids are spelled as the target system returns them, so that each record has one spelling.
        let used = action
            .records
            .iter()
            .chain(&action.customer);
        let used = used.flat_map(Template::placeholders);
        let used = used.chain(
            action
                .steps
                .iter()
                .flat_map(Step::placeholders),
        );
        self.check_facts(used.filter(|_| automated))?;
        self.check_facts(
            action
                .require
                .facts()
                .chain(action.size.as_deref()),
        )?;
        self.check_facts(
            money
                .iter()
                .flat_map(|money| money.facts()),
        )?;
        let checked = || {
            reconciles
                .iter()
                .flat_map(Reconciliation::conditions)
        };
        self.check_facts(
            checked()
                .chain(&verify)
                .flat_map(FactCondition::facts),
        )?;
        self.check_absent(action)?;
        self.check_times(
            action
                .require
                .each()
                .chain(checked())
                .chain(&verify),
        )?;
        action.check_sentences()?;
        self.check_debt(action)
    }

    /// Checks that each condition on time is on an instant.
    fn check_times<'a>(
        &self,
        conditions: impl IntoIterator<Item = &'a FactCondition>,
    ) -> Result<(), String> {
        let mut conditions = conditions
            .into_iter()
            .filter(|condition| condition.asks_for_time());
        let is_instant = |fact: &str| {
            let (read, name) = fact.split_once('.').unwrap_or_default();
            let read = self.read_named(read);
            read.is_some_and(|read| {
                read.times
                    .iter()
                    .any(|time| time == name)
            })
        };
        let other = conditions.find(|condition| !is_instant(&condition.fact));
        other.map_or(Ok(()), |condition| {
            Err(format!(
                "{:?} is not among the times of its read",
                condition.fact
            ))
        })
    }

    /// Checks that an action with an amount moves a debt. Amount, currency and customer are those
    /// of the debtor's record, and this record shows the effect.
    fn check_debt(&self, action: &Action) -> Result<(), String> {
        let amount = action
            .money
            .as_ref()
            .and_then(|money| money.amount.as_deref());
        let kind = action.action_type;
        let Some(debt) = &action.debt else {
            let lacks = action.automated && amount.is_some();
            let flaw = " moves an amount, and does not say in debt which record owes it";
            return none_of(&format!("{kind:?}"), [(lacks, flaw)]);
        };
        let owed = debt.facts();
        self.check_facts(owed.iter().map(String::as_str))?;
        let [owed, ..] = &owed;
        let customer = action
            .money
            .as_ref()
            .and_then(|money| money.customer.as_ref());
        let is_of_other = amount.is_some_and(|amount| read_of(amount) != debt.of);
        let verify = action.verify.as_ref();
        let shown = verify.and_then(|verify| verify.amount.as_deref());
        let bases = [Some(owed.as_str()), amount, shown]
            .into_iter()
            .flatten();
        let bases: Vec<Option<Basis>> = bases
            .map(|fact| self.basis(fact))
            .collect();
        let has_no_basis = amount.is_some() && bases.iter().any(Option::is_none);
        let differ = bases
            .iter()
            .any(|basis| *basis != bases[0]);
        let mut effect = verify
            .iter()
            .flat_map(|verify| verify.is.facts())
            .chain(shown);
        let is_proven = effect.any(|fact| read_of(fact) == debt.of);
        let flaws = [
            (!action.automated, ": a person looks up the debt"),
            (
                is_of_other != customer.is_some(),
                ": money names its customer exactly if another record than the debtor's moves it",
            ),
            (
                has_no_basis,
                ": an amount of money, debt or verify is not among the amounts of its read",
            ),
            (differ, ": money, debt and verify are all net, or all gross"),
            (
                amount.is_some() && !is_proven,
                ": verify does not read the record that owes",
            ),
        ];
        none_of(&format!("{kind:?}"), flaws)
    }

    fn read_named(&self, name: &str) -> Option<&ReadInFile> {
        self.reads
            .iter()
            .find(|read| read.name == name)
    }

    fn basis(&self, fact: &str) -> Option<Basis> {
        let (read, name) = fact.split_once('.')?;
        self.read_named(read)?.basis(name)
    }

    /// Checks that no value of a missing fact meets a condition of an action with money.
    fn check_absent(&self, action: &Action) -> Result<(), String> {
        let conditions = action
            .require
            .each()
            .filter(|_| action.money.is_some());
        for condition in conditions {
            let (read, name) = condition
                .fact
                .split_once('.')
                .unwrap_or_default();
            let absent = self
                .read_named(read)
                .and_then(|read| read.absent.get(name));
            let facts: Option<Facts> =
                absent.map(|value| [(condition.fact.clone(), value.clone())].into());
            if facts.is_some_and(|facts| condition.holds(&facts) == Some(true)) {
                let flaw = "moves money, and would hold for an answer without it";
                return Err(format!(
                    "{:?}: {:?} {flaw}",
                    action.action_type, condition.fact
                ));
            }
        }
        Ok(())
    }

    fn check_read(&self, read: &ReadInFile, earlier: &[ReadInFile]) -> Result<(), String> {
        let is_value =
            |(name, value): (&String, &Value)| read.facts.contains_key(name) && is_scalar(value);
        let has_values = read
            .absent
            .iter()
            .chain(&read.nulls)
            .all(is_value);
        let names = || {
            read.facts
                .keys()
                .chain(read.sums.keys())
                .chain(read.lists.keys())
        };
        let names_once: BTreeSet<&String> = names().collect();
        let has_names = is_name(&read.name) && names().all(|name| is_name(name));
        let is_reserved = |name: &String| *name == HTTP || *name == TargetRead::AT;
        let has_facts = names().next().is_some() && !names().any(is_reserved);
        let is_twin = earlier
            .iter()
            .any(|read_before| read_before.name == read.name);
        let of_lists = read.lists.values().flat_map(|list| {
            let members = list
                .only
                .keys()
                .chain(&list.sum)
                .chain(&list.alike);
            members.chain([&list.at])
        });
        let of_whole = read.whole.iter().map(|whole| &whole.at);
        let mut pointers = read
            .facts
            .values()
            .chain(of_lists)
            .chain(of_whole);
        let has_pointers = pointers.all(|pointer| is_pointer(pointer));
        let is_term = |name: &str| read.facts.contains_key(name) || read.lists.contains_key(name);
        let has_terms = read
            .sums
            .values()
            .all(|sum| sum.facts().all(is_term));
        let mut marked = read
            .times
            .iter()
            .chain(read.amounts.keys())
            .chain(&read.currency);
        let knows_marked = marked.all(|name| read.gives(name));
        let lacks_currency = !read.amounts.is_empty() && read.currency.is_none();
        let flaws = [
            (!has_names, "names are lower-case letters and underscores"),
            (
                names_once.len() < names().count(),
                "a name is that of one fact",
            ),
            (is_twin, "another one is called the same"),
            (!read.path.is_path(), NO_PATH),
            (
                !has_facts,
                "it has facts, and neither http nor at is one to name",
            ),
            (!has_pointers, "a fact stands at a JSON pointer"),
            (
                !has_values,
                "what is absent or null is one of its facts, and a text, number or truth value then",
            ),
            (!has_terms, "a sum is of its facts"),
            (!knows_marked, "times, amounts and currency are facts of it"),
            (lacks_currency, "amounts have a currency"),
            (!is_role(&read.connection), NO_ROLE),
        ];
        none_of(&format!("read {:?}: ", read.name), flaws)?;
        let is_known = |name: &str| self.parameters.contains_key(name) || gives(earlier, name);
        if let Some(name) = read
            .placeholders()
            .find(|name| !is_known(name))
        {
            let flaw = "is no parameter or earlier fact that a read may use";
            return Err(format!("{{{name}}} {flaw}"));
        }
        let mut of_connection = read.connection.placeholders();
        known(of_connection.find(|name| !GIVEN.contains(name)))
    }

    fn check_findings(&self) -> Result<(), String> {
        for (at, finding) in self.findings.iter().enumerate() {
            let mut earlier = self.findings.iter().take(at);
            let has_id = !finding.id.is_empty() && earlier.all(|other| other.id != finding.id);
            none_of(
                &format!("finding {:?}: ", finding.id),
                [(!has_id, "it has an id of its own")],
            )?;
            self.check_facts(finding.when.facts())?;
            self.check_text(&finding.says)?;
        }
        for cause in &self.causes {
            none_of(
                "a cause: ",
                [(cause.when.0.is_empty(), "it has a condition")],
            )?;
            self.check_facts(cause.when.facts())?;
            self.check_text(&cause.says)?;
        }
        Ok(())
    }

    fn check_facts<'a>(&self, facts: impl IntoIterator<Item = &'a str>) -> Result<(), String> {
        let unknown = facts
            .into_iter()
            .find(|fact| !gives(&self.reads, fact));
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
    /// Checks the conditions of an automated action: it has some, each with a sentence for its
    /// approver.
    fn check_sentences(&self) -> Result<(), String> {
        let is_silent = |condition: &FactCondition| {
            condition
                .says
                .as_deref()
                .unwrap_or_default()
                .is_empty()
        };
        let lacks = self.require.0.is_empty() || self.require.each().any(is_silent);
        let flaw = " requires something, and each of its conditions says so in a sentence";
        none_of(
            &format!("{:?}", self.action_type),
            [(self.automated && lacks, flaw)],
        )
    }
}

const NO_ROLE: &str = " names its system by one of the kinds of systems";

/// True for a kind of systems, and for the system of the alert.
fn is_role(system: &Template) -> bool {
    let name = system.render(|_| None);
    name.map_or(true, |name| SystemKind::of_role(&name).is_some())
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
