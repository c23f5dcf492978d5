//! What a client sends to set a policy.

use super::{PolicyCaps, PolicyMatch, PolicyPreset, PolicyRule};
use crate::{
    ActionType, Currency, FaultCode, MAX_ID, Money, Risk, Role, SystemName, input,
    input::{Change, Defaulted, List, Patch, Place},
    integer::Whole,
};

input! {
    /// What a client sends to set the policy: rules or a preset of them, and caps. What is absent
    /// stays.
    pub struct PolicySet {
        /// Rules that are ready to be taken, instead of `rules`.
        preset: Option<PolicyPreset>,
        /// Who has to approve what; the strictest of those that fit an action wins.
        rules: Change<List<PolicyRuleSet, 0, 50>>,
        /// The most of a day (UTC); none when null.
        caps: Patch<PolicyCapsSet>,
    }
    check(preset, rules) one_of_both;
}

input! {
    /// What the actions that fit need.
    pub struct PolicyRuleSet {
        /// Which actions it is about: those that fit all that is given, and all where nothing is.
        when: Option<PolicyMatchSet>,
        /// How many people have to approve; one when absent.
        approvers: Option<Whole<1, 2>>,
        /// Roles of which each approver has one.
        roles: Option<List<Role, 0, 5>>,
        /// Whether who opened the session or had the action proposed cannot approve it.
        not_opener: Defaulted<bool>,
        /// Whether nobody can.
        deny: Defaulted<bool>,
    }
}

input! {
    /// Which actions a rule is about.
    pub struct PolicyMatchSet {
        /// Of this type.
        action_type: Option<ActionType>,
        /// Of this risk or a higher one.
        risk_at_least: Option<Risk>,
        /// Of this amount or a larger one; one that is not known is larger.
        amount_at_least: Option<MoneySet>,
        /// Of the target system of this name.
        connection: Option<SystemName>,
        /// Whether they change what somebody pays or owes.
        moves_money: Option<bool>,
    }
}

input! {
    /// The most of a day (UTC).
    pub struct PolicyCapsSet {
        /// The most actions.
        actions: Option<Whole<0, 1_000_000>>,
        /// The most money, by currency; one that is not listed is above it.
        money: Option<List<MoneySet, 0, 20>>,
    }
}

input! {
    /// An amount of money.
    pub struct MoneySet {
        /// In the currency's smallest unit.
        minor_units: Whole<0, MAX_ID>,
        /// ISO 4217.
        currency: Currency,
    }
    distinct by currency, "There is an amount in this currency already.";
}

fn one_of_both(
    preset: Option<&Option<PolicyPreset>>,
    rules: Option<&Change<List<PolicyRuleSet, 0, 50>>>,
    place: &mut Place<'_>,
) {
    if preset.is_some_and(Option::is_some) && matches!(rules, Some(Change::Set(_))) {
        let detail = "Send either a preset or rules.";
        place.at("preset").report(FaultCode::Combination, detail);
    }
}

impl PolicySet {
    /// The policy as it is to be.
    pub fn apply(&self, policy: &mut super::AgentPolicy) {
        if let Some(preset) = self.preset {
            policy.rules = preset.rules();
        }
        if let Change::Set(rules) = &self.rules {
            policy.rules = rules.0.iter().map(PolicyRule::from).collect();
        }
        match &self.caps {
            Patch::Keep => {}
            Patch::Clear => policy.caps = PolicyCaps::default(),
            Patch::Set(caps) => policy.caps = caps.into(),
        }
    }
}

impl From<&PolicyRuleSet> for PolicyRule {
    fn from(sent: &PolicyRuleSet) -> Self {
        let roles = sent.roles.as_ref().map(|roles| roles.0.clone());
        Self {
            when: sent.when.as_ref().map(Into::into).unwrap_or_default(),
            approvers: sent.approvers.map_or(1, |Whole(number)| number),
            roles: roles.unwrap_or_default(),
            not_opener: sent.not_opener.0,
            deny: sent.deny.0,
        }
    }
}

impl From<&PolicyMatchSet> for PolicyMatch {
    fn from(sent: &PolicyMatchSet) -> Self {
        Self {
            action_type: sent.action_type,
            risk_at_least: sent.risk_at_least,
            amount_at_least: sent.amount_at_least.as_ref().map(Into::into),
            connection: sent.connection.clone().map(Into::into),
            moves_money: sent.moves_money,
        }
    }
}

impl From<&PolicyCapsSet> for PolicyCaps {
    fn from(sent: &PolicyCapsSet) -> Self {
        let money = sent.money.iter().flat_map(|money| &money.0);
        Self {
            actions: sent.actions.map(|Whole(number)| number),
            money: money.map(Into::into).collect(),
        }
    }
}

impl From<&MoneySet> for Money {
    fn from(sent: &MoneySet) -> Self {
        Self {
            minor_units: sent.minor_units.0,
            currency: sent.currency.clone().into(),
        }
    }
}
