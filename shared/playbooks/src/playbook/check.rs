//! Checks of a playbook when it is read. A flaw is the reason, in words, why it cannot be used.

use agent::{
    action::{ActionType, Reversibility, Risk},
    check::{FactCondition, Reconciliation},
};

use super::{
    Action, Playbook,
    condition::{Condition, is_scalar},
    flaw::{NO_PATH, none_of},
    gives,
    money::MoneyInFile,
    read::{HTTP, MOST_READS, ReadInFile},
    step::{Call, Step, is_pointer},
    values::{GIVEN, MONEY},
    verify::Verify,
};
use crate::template::Template;

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
        if !self.resolved_when.0.iter().all(Condition::is_positive) {
            return Err("resolved_when says what is, not what is no more".to_owned());
        }
        self.check_text(&self.root_cause)?;
        self.check_text(&self.impact)?;
        self.actions
            .iter()
            .try_for_each(|action| self.check_action(action))?;
        self.check_order()
    }

    fn check_action(&self, action: &Action) -> Result<(), String> {
        let (kind, automated) = (action.action_type, action.automated);
        [
            &action.target_system,
            &action.description,
            &action.expected_outcome,
        ]
        .into_iter()
        .chain(&action.records)
        .chain(&action.customer)
        .chain(action.reversible.iter().map(|one| one.parts().1))
        .chain(action.steps.iter().map(|step| &step.description))
        .try_for_each(|text| self.check_text_of(action, text))?;
        let (mut records, mut steps) = (action.records.iter(), action.steps.iter());
        let reconciles = action.steps.iter().filter_map(Step::reconcile);
        let reconciles: Vec<Reconciliation> = reconciles.collect();
        let verify: Vec<FactCondition> = action.verify.iter().flat_map(Verify::facts).collect();
        let money = action.money.as_ref();
        let reversible = action.reversible.as_ref().map(|one| one.parts().0);
        let is_final = reversible == Some(Reversibility::No);
        let has_kind = automated != (kind == ActionType::ManualReview);
        let has_records = !automated || !action.records.is_empty();
        let has_ids = records.clone().all(|one| one.is_record(None));
        let has_invoice = records.any(|one| one.is_record(Some("invoice")));
        let has_receiver = automated && kind == ActionType::NotifyCustomer;
        let has_calls = steps.all(|step| step.call.is_some() == automated);
        let moves_some = automated && moves_money(kind);
        let has_amount = money.is_some_and(|one| one.amount.is_some());
        let expects_amount = action.verify.as_ref().is_some_and(Verify::expects_amount);
        let denies = reconciles.iter().any(|one| one.not_done.is_some());
        let checks = !verify.is_empty() || !reconciles.is_empty() || !action.require.0.is_empty();
        let flaws = [
            (action.steps.is_empty(), " has no steps"),
            (!has_kind, " is automated, or is not, against its nature"),
            (automated && action.minutes == 0, " saves no minutes"),
            (!has_records, " names no record that it acts on"),
            (!has_ids, ": a record is `kind/{id}`"),
            (
                automated && kind.changes_invoice() && !has_invoice,
                " changes an invoice, its collection or its payment, and names no invoice/{id}",
            ),
            (
                has_receiver != action.customer.is_some(),
                " names a customer exactly if it sends one a message",
            ),
            (!has_calls, ": a step calls exactly if it is automated"),
            (
                moves_some != money.is_some(),
                " says the money that it moves exactly if it moves some by itself",
            ),
            (
                money.is_some_and(|one| !one.is_sound()),
                ": money has amount and currency, unless the customer is billed later",
            ),
            (
                has_amount != expects_amount,
                " asks for the amount in verify exactly if money has one",
            ),
            (
                automated && reversible.is_none(),
                " does not say in reversible how it is taken back, or that it cannot be",
            ),
            (
                is_final && action.risk < Risk::Critical,
                " cannot be undone, so that its risk is critical",
            ),
            (
                denies && money.is_some_and(MoneyInFile::moves_cash),
                " takes or repays money: that a read does not show it does not prove that it will not \
                 still arrive, so that its reconcile has no not_done",
            ),
            // They would never be checked.
            (
                !automated && checks,
                " is done by a person, and requires and verifies nothing",
            ),
        ];
        none_of(&format!("{kind:?}"), flaws)?;
        // Ids are spelled as the target system returns them, so that each record has one spelling.
        let used = action.records.iter().chain(&action.customer);
        let used = used.flat_map(Template::placeholders);
        let used = used.chain(action.calls().flat_map(Call::placeholders));
        self.check_facts(used.filter(|_| automated))?;
        self.check_facts(action.when.facts().chain(action.require.facts()))?;
        self.check_facts(money.iter().flat_map(|one| one.facts()))?;
        let checked = reconciles.iter().flat_map(Reconciliation::conditions);
        self.check_facts(checked.chain(&verify).flat_map(FactCondition::facts))?;
        action.check_suppositions()
    }

    /// Checks a text of an action, which may also contain its money.
    fn check_text_of(&self, action: &Action, text: &Template) -> Result<(), String> {
        let amount = action.money.as_ref().and_then(|one| one.amount.as_ref());
        let money = amount.map_or("", |_| MONEY);
        self.check_placeholders(text.placeholders().filter(|name| *name != money))
    }

    fn check_read(&self, read: &ReadInFile, earlier: &[ReadInFile]) -> Result<(), String> {
        let facts = &read.facts;
        let is_fact = |(name, value)| facts.contains_key(name) && is_scalar(value);
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
                !read.absent.iter().all(is_fact),
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
            let speaks = finding.weight >= 1.0 || finding.cause.is_some();
            let flaws = [
                (!has_id, "it has an id of its own"),
                (!has_weights, "a weight is above 0"),
                (
                    finding.when.0.is_empty() && speaks,
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
        let required: Vec<&str> = self.require.facts().collect();
        let mut suppositions = self.suppositions.iter();
        let are_covered = suppositions.all(|one| one.is_covered(&required));
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

fn is_name(name: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte == b'_';
    !name.is_empty() && name.bytes().all(is_plain)
}
