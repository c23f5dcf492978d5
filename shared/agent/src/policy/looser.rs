//! Comparison of two policies: does the later one allow more?

use model::people::Demand;

use crate::{
    action::{PolicyMatch, PolicyRule},
    alert::Money,
    connection::SystemKind,
    policy::{AgentPolicy, PolicyCaps},
};

impl AgentPolicy {
    /// Returns what the change from `before` demands of its caller. A looser policy guards, and so
    /// does another age of sign-ins.
    pub fn demand_after(&self, before: &Self) -> Demand {
        if self.is_looser_than(before) || self.signed_in_within != before.signed_in_within {
            Demand::Root
        } else {
            Demand::Session
        }
    }

    /// True if it may allow an action, or an approver, that the policy before it did not. A rule
    /// that was split into several may count as looser.
    pub fn is_looser_than(&self, before: &Self) -> bool {
        // All fields are named, so that a new one does not compile before it is compared.
        let Self {
            organization_id: _,
            rules,
            caps,
            signed_in_within,
            pending: _,
            updated_by: _,
            updated_at: _,
        } = before;
        !rules
            .iter()
            .all(|rule| rule.is_kept_by(&self.rules))
            || self.caps.are_looser_than(caps)
            || is_more(*signed_in_within, self.signed_in_within)
    }

    /// Returns what it may allow and the policy before it did not, in words.
    pub fn allows_more_than(&self, before: &Self) -> Vec<String> {
        let lost = before
            .rules
            .iter()
            .filter(|rule| !rule.is_kept_by(&self.rules));
        let mut allowances: Vec<String> = lost.map(PolicyRule::ends).collect();
        let most = |most: Option<i64>| most.map_or("none".to_owned(), |most| most.to_string());
        let was = &before.caps;
        let is = &self.caps;
        for (bound, was, is) in [
            ("cap of actions a day", was.actions, is.actions),
            (
                "cap of messages to a customer",
                was.messages_per_customer,
                is.messages_per_customer,
            ),
            (
                "minutes since the sign-in",
                before.signed_in_within,
                self.signed_in_within,
            ),
        ] {
            if is_more(was, is) {
                allowances.push(format!("{bound}: {}, was {}", most(is), most(was)));
            }
        }
        if is.allows_more_money_than(was) {
            let says = |caps: &PolicyCaps| {
                let caps = caps
                    .money
                    .iter()
                    .map(|cap| cap.says(SystemKind::Other));
                let caps = caps.collect::<Vec<_>>().join(", ");
                if caps.is_empty() {
                    "none".to_owned()
                } else {
                    caps
                }
            };
            allowances.push(format!(
                "caps of money a day: {}, was {}",
                says(is),
                says(was)
            ));
        }
        allowances
    }
}

impl PolicyRule {
    /// Returns in words that it no longer holds.
    fn ends(&self) -> String {
        let demand = match (self.deny, self.approvers) {
            (true, _) => "denial".to_owned(),
            (false, 1) => "1 approver".to_owned(),
            (false, several) => format!("{several} approvers"),
        };
        let roles: Vec<&str> = self
            .roles
            .iter()
            .map(Into::into)
            .collect();
        let roles = if roles.is_empty() {
            String::new()
        } else {
            format!(" of role {}", roles.join(" or "))
        };
        let other = if self.not_opener {
            " other than the opener"
        } else {
            ""
        };
        format!(
            "{demand}{roles}{other} no longer needed for {}",
            self.when.says()
        )
    }

    /// True if the rules demand at least as much of every action that this one applies to.
    fn is_kept_by(&self, others: &[Self]) -> bool {
        let Self {
            when,
            approvers,
            roles,
            not_opener,
            deny,
        } = self;
        let applying = || {
            others
                .iter()
                .filter(|rule| rule.when.covers(when))
        };
        let is_within = |rule: &Self| {
            let is_mine = |role| roles.contains(role);
            !rule.roles.is_empty() && rule.roles.iter().all(is_mine)
        };
        let keeps_roles = roles.is_empty() || applying().any(is_within);
        let keeps_openers_out = !not_opener || applying().any(|rule| rule.not_opener);
        let most = applying()
            .map(|rule| rule.approvers)
            .max();
        // Without any rule, one user approves.
        let keeps_number = most.unwrap_or(1) >= *approvers;
        let denies = applying().any(|rule| rule.deny);
        denies || (!deny && keeps_roles && keeps_openers_out && keeps_number)
    }
}

impl PolicyMatch {
    /// Returns the actions in words: `actions with money, of risk high or higher`.
    fn says(&self) -> String {
        let parts = [
            self.action_type.map(|action_type| {
                let name: &str = action_type.into();
                format!("of the type {name}")
            }),
            self.risk_at_least.map(|least| {
                let name: &str = least.into();
                format!("of risk {name} or higher")
            }),
            self.amount_at_least
                .as_ref()
                .map(|least| format!("of {} or more", least.says(SystemKind::Other))),
            self.records_at_least
                .map(|least| format!("of {least} records or more")),
            self.connection
                .as_ref()
                .map(|connection| format!("on {connection}")),
            self.moves_money.map(|moves| {
                let with = if moves { "with" } else { "without" };
                format!("{with} money")
            }),
        ];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        if parts.is_empty() {
            return "every action".to_owned();
        }
        format!("actions {}", parts.join(", "))
    }

    /// True if it applies to every action that the other one applies to.
    fn covers(&self, other: &Self) -> bool {
        let Self {
            action_type,
            risk_at_least,
            amount_at_least,
            records_at_least,
            connection,
            moves_money,
        } = self;
        let covers_amount = |least: &Money, others: &Money| {
            least.currency == others.currency && least.minor_units <= others.minor_units
        };
        let least = other.amount_at_least.as_ref();
        covers(amount_at_least.as_ref(), least, covers_amount)
            && covers(
                records_at_least.as_ref(),
                other.records_at_least.as_ref(),
                PartialOrd::le,
            )
            && covers(
                risk_at_least.as_ref(),
                other.risk_at_least.as_ref(),
                PartialOrd::le,
            )
            && is_any_or(action_type.as_ref(), other.action_type.as_ref())
            && is_any_or(connection.as_ref(), other.connection.as_ref())
            && is_any_or(moves_money.as_ref(), other.moves_money.as_ref())
    }
}

/// True if a member is absent, or covers the other.
fn covers<T>(member: Option<&T>, other: Option<&T>, covers: impl Fn(&T, &T) -> bool) -> bool {
    member.is_none_or(|member| other.is_some_and(|other| covers(member, other)))
}

/// True if a member is absent, or equals the other.
fn is_any_or<T: PartialEq>(member: Option<&T>, other: Option<&T>) -> bool {
    covers(member, other, PartialEq::eq)
}

/// True if a bound is higher, or gone.
fn is_more(before: Option<i64>, now: Option<i64>) -> bool {
    before.is_some_and(|most| now.is_none_or(|now| now > most))
}

impl PolicyCaps {
    /// True if a cap is higher, or gone.
    fn are_looser_than(&self, before: &Self) -> bool {
        let Self {
            actions,
            money: _,
            messages_per_customer,
        } = before;
        let more_actions = is_more(*actions, self.actions)
            || is_more(*messages_per_customer, self.messages_per_customer);
        more_actions || self.allows_more_money_than(before)
    }

    /// True if a cap of money is higher, or gone.
    fn allows_more_money_than(&self, before: &Self) -> bool {
        let money = &before.money;
        let fits = |cap: &Money| {
            let before = money
                .iter()
                .find(|cap_before| cap_before.currency == cap.currency);
            before.is_some_and(|before| cap.minor_units <= before.minor_units)
        };
        // Amounts in a currency without a cap exceed the caps, if there are any.
        !money.is_empty() && (self.money.is_empty() || !self.money.iter().all(fits))
    }
}

#[cfg(test)]
mod tests {
    use model::base::{Id, OrganizationId, input};
    use serde_json::{Value, json};

    use super::*;
    use crate::policy::PolicySet;

    fn policy(sent: &Value) -> AgentPolicy {
        let mut policy = AgentPolicy::none(OrganizationId::new(1).unwrap());
        input::from_value::<PolicySet>(sent)
            .unwrap()
            .apply(&mut policy);
        policy
    }

    #[track_caller]
    fn is_looser(after: &Value, before: &Value) -> bool {
        policy(after).is_looser_than(&policy(before))
    }

    #[test]
    fn a_policy_is_no_looser_than_itself_or_none() {
        let billing = json!({"preset": "billing"});
        let no_rules = json!({"rules": []});
        assert!(!is_looser(&billing, &billing));
        assert!(!is_looser(&no_rules, &no_rules));
        assert!(!is_looser(&billing, &no_rules));
        assert!(is_looser(&no_rules, &billing));
    }

    #[test]
    fn a_rule_that_demands_less_is_looser_and_one_that_demands_more_is_not() {
        let rule = |more: Value| {
            let mut rule = json!({"approvers": 1});
            rule.as_object_mut()
                .unwrap()
                .extend(more.as_object().unwrap().clone());
            json!({ "rules": [rule] })
        };
        for (strict, loose) in [
            (json!({"approvers": 2}), json!({"approvers": 1})),
            (json!({"notOpener": true}), json!({})),
            (json!({"deny": true}), json!({"approvers": 2})),
            (
                json!({"roles": ["admin"]}),
                json!({"roles": ["admin", "manager"]}),
            ),
            (json!({"roles": ["admin"]}), json!({})),
            (
                json!({"approvers": 2}),
                json!({"approvers": 2, "when": {"movesMoney": true}}),
            ),
            (
                json!({"approvers": 2, "when": {"riskAtLeast": "low"}}),
                json!({"approvers": 2, "when": {"riskAtLeast": "high"}}),
            ),
            (
                json!({"deny": true, "when": {"recordsAtLeast": 100}}),
                json!({"deny": true, "when": {"recordsAtLeast": 101}}),
            ),
            (
                json!({"approvers": 2}),
                json!({"approvers": 2, "when": {"recordsAtLeast": 1}}),
            ),
            (
                json!({"deny": true, "when": {"amountAtLeast": {"minorUnits": 1, "currency": "USD"}}}),
                json!({"deny": true, "when": {"amountAtLeast": {"minorUnits": 2, "currency": "USD"}}}),
            ),
        ] {
            let strict = rule(strict);
            let loose = rule(loose);
            assert!(is_looser(&loose, &strict), "{loose} after {strict}");
            assert!(!is_looser(&strict, &loose), "{strict} after {loose}");
        }
    }

    #[test]
    fn several_rules_together_keep_one() {
        let one_rule = json!({"rules": [{"approvers": 2, "notOpener": true}]});
        let two_rules = json!({"rules": [{"approvers": 2}, {"notOpener": true}]});
        assert!(!is_looser(&two_rules, &one_rule));
        assert!(!is_looser(&one_rule, &two_rules));
    }

    #[test]
    fn a_higher_cap_is_looser() {
        let usd = |amount: i64| json!({"minorUnits": amount, "currency": "USD"});
        let eur = json!({"minorUnits": 1, "currency": "EUR"});
        for (strict, loose) in [
            (json!({"actions": 1}), json!({"actions": 2})),
            (json!({"actions": 1}), json!(null)),
            (
                json!({"messagesPerCustomer": 1}),
                json!({"messagesPerCustomer": 2}),
            ),
            (json!({"messagesPerCustomer": 1}), json!(null)),
            (json!({"money": [usd(1)]}), json!({"money": [usd(2)]})),
            (json!({"money": [usd(1)]}), json!({"money": [usd(1), eur]})),
            (json!({"money": [usd(1)]}), json!(null)),
        ] {
            let strict = json!({"caps": strict});
            let loose = json!({"caps": loose});
            assert!(is_looser(&loose, &strict), "{loose} after {strict}");
            assert!(!is_looser(&strict, &loose), "{strict} after {loose}");
        }
    }

    #[test]
    fn an_older_sign_in_is_looser() {
        let within = |minutes: Option<i64>| json!({ "signedInWithin": minutes });
        for loose in [within(Some(60)), within(None)] {
            let strict = within(Some(5));
            assert!(is_looser(&loose, &strict), "{loose}");
            assert!(!is_looser(&strict, &loose), "{loose}");
        }
    }
}
