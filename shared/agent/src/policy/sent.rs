//! The body of a request that sets a policy.

use model::{
    base::{
        FaultCode, MAX_ID, SystemName, Whole,
        input::{BoundedList, Defaulted, InputPlace, Patch, PatchField},
    },
    input,
    people::Role,
};

use crate::{
    action::{ActionType, PolicyMatch, PolicyRule, Risk},
    alert::{Currency, Money},
    policy::{PolicyCaps, PolicyPreset},
};

input! {
    /// The body of a request that sets the policy: rules or a preset of rules, and caps. Absent
    /// members keep their values.
    pub struct PolicySet {
        /// A ready-made set of rules, instead of `rules`.
        preset: Option<PolicyPreset>,
        /// Rules for approval. The strictest of the rules that match an action applies.
        rules: PatchField<BoundedList<PolicyRuleSet, 0, 50>>,
        /// Daily limits (UTC); null removes them.
        caps: Patch<PolicyCapsSet>,
        /// Minutes since the sign-in in which a user may approve and settle; null for any sign-in.
        signed_in_within: Patch<Whole<5, 1_440>>,
    }
    check(preset, rules) one_of_both;
    example {
        "rules": [{
            "when": {"movesMoney": true, "amountAtLeast": {"minorUnits": 50000, "currency": "USD"} },
            "approvers": 2,
            "notOpener": true,
        }],
        "caps": {"actions": 200, "money": [{"minorUnits": 500_000, "currency": "USD"}]},
    };
}

input! {
    /// The approval that matching actions need.
    pub struct PolicyRuleSet {
        /// Conditions of the rule. An action matches if all given members match; without members,
        /// every action does.
        when: Option<PolicyMatchSet>,
        /// Number of people who must approve; one when absent.
        approvers: Option<Whole<1, 2>>,
        /// Roles; each approver must have one of them.
        roles: Option<BoundedList<Role, 0, 5>>,
        /// Excludes the users who opened the session or requested the proposal.
        not_opener: Defaulted<bool>,
        /// Denies the actions to everyone.
        deny: Defaulted<bool>,
    }
    example {"when": {"movesMoney": true}, "approvers": 2, "notOpener": true};
}

input! {
    /// The actions to which a rule applies.
    pub struct PolicyMatchSet {
        /// Actions of this type.
        action_type: Option<ActionType>,
        /// Actions of this risk or a higher one.
        risk_at_least: Option<Risk>,
        /// Actions of this amount or more. An unknown amount counts as more.
        amount_at_least: Option<MoneySet>,
        /// Actions that state a number of records, such as events to send, of this number or more.
        /// An unknown number counts as more.
        records_at_least: Option<Whole<1, 1_000_000_000>>,
        /// Actions on the target system of this connection.
        connection: Option<SystemName>,
        /// `true` for actions with an effect on a customer's payments or debts, `false` for the
        /// others.
        moves_money: Option<bool>,
    }
    example {"movesMoney": true};
}

input! {
    /// Daily limits (UTC).
    pub struct PolicyCapsSet {
        /// The most actions.
        actions: Option<Whole<0, 1_000_000>>,
        /// The most money, by currency. Amounts in other currencies exceed the cap.
        money: Option<BoundedList<MoneySet, 0, 20>>,
        /// The most messages to one customer.
        messages_per_customer: Option<Whole<0, 1_000>>,
    }
    example {"actions": 200, "messagesPerCustomer": 3};
}

input! {
    pub struct MoneySet {
        /// The amount in the currency's smallest unit.
        minor_units: Whole<0, MAX_ID>,
        /// The currency's ISO 4217 code.
        currency: Currency,
    }
    distinct by currency, "The list has this currency twice.";
    example {"minorUnits": 50000, "currency": "USD"};
}

fn one_of_both(
    preset: Option<&Option<PolicyPreset>>,
    rules: Option<&PatchField<BoundedList<PolicyRuleSet, 0, 50>>>,
    place: &mut InputPlace<'_>,
) {
    if preset.is_some_and(Option::is_some) && matches!(rules, Some(PatchField::Set(_))) {
        let detail = "Send either `preset` or `rules`.";
        place
            .at("preset")
            .report(FaultCode::Combination, detail);
    }
}

impl PolicySet {
    pub fn apply(&self, policy: &mut super::AgentPolicy) {
        if let Some(preset) = self.preset {
            policy.rules = preset.rules();
        }
        if let PatchField::Set(rules) = &self.rules {
            policy.rules = rules.0.iter().map(rule).collect();
        }
        if let Patch::Set(sent) = &self.caps {
            policy.caps = sent
                .as_ref()
                .map(caps)
                .unwrap_or_default();
        }
        let within = self
            .signed_in_within
            .map(|Whole(minutes)| minutes);
        within.apply(&mut policy.signed_in_within);
    }
}

fn rule(sent: &PolicyRuleSet) -> PolicyRule {
    let when = sent
        .when
        .as_ref()
        .map(|when| PolicyMatch {
            action_type: when.action_type,
            risk_at_least: when.risk_at_least,
            amount_at_least: when.amount_at_least.as_ref().map(money),
            records_at_least: when
                .records_at_least
                .map(|Whole(number)| number),
            connection: when.connection.clone().map(Into::into),
            moves_money: when.moves_money,
        });
    let roles = sent
        .roles
        .as_ref()
        .map(|roles| roles.0.clone());
    PolicyRule {
        when: when.unwrap_or_default(),
        approvers: sent
            .approvers
            .map_or(1, |Whole(number)| number),
        roles: roles.unwrap_or_default(),
        not_opener: sent.not_opener.0,
        deny: sent.deny.0,
    }
}

fn caps(sent: &PolicyCapsSet) -> PolicyCaps {
    let money_caps = sent
        .money
        .iter()
        .flat_map(|money| &money.0);
    PolicyCaps {
        actions: sent.actions.map(|Whole(number)| number),
        money: money_caps.map(money).collect(),
        messages_per_customer: sent
            .messages_per_customer
            .map(|Whole(number)| number),
    }
}

fn money(sent: &MoneySet) -> Money {
    Money {
        minor_units: sent.minor_units.0,
        currency: sent.currency.clone(),
    }
}
