//! A looser policy that waits for another admin, or for a day.

use model::base::{Timestamp, UserId, span};

use crate::policy::{AgentPolicy, PendingPolicy, PolicySet, PolicyTerms};

/// The result of a request on a policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PolicyChange {
    /// Its terms are in force at once, and nothing waits.
    AtOnce,
    /// Its terms are looser, and wait.
    Waits,
    /// Another user confirms the waiting terms.
    Confirms,
}

impl AgentPolicy {
    /// The time for which a looser policy waits, in milliseconds.
    pub const WAITS: i64 = span::DAY;

    pub fn terms(&self) -> PolicyTerms {
        PolicyTerms {
            rules: self.rules.clone(),
            caps: self.caps.clone(),
            signed_in_within: self.signed_in_within,
        }
    }

    /// Returns the policy in force at an instant. A pending one is in force from its time on.
    #[must_use]
    pub fn in_force(mut self, now: Timestamp) -> Self {
        if let Some(due) = self
            .pending
            .take_if(|pending| pending.applies_at <= now)
        {
            self.take(due.policy);
            self.updated_by = Some(due.by);
            self.updated_at = Some(due.applies_at);
        }
        self
    }

    /// True if the time of a pending policy has come.
    pub fn is_due(&self, now: Timestamp) -> bool {
        let mut pending = self.pending.iter();
        pending.any(|pending| pending.applies_at <= now)
    }

    /// Changes the policy in force on behalf of a user. Looser terms wait. They replace those that
    /// wait, unless they are the same. The same terms of another user confirm them.
    pub fn change(&mut self, set: &PolicySet, by: UserId, now: Timestamp) -> PolicyChange {
        let mut wanted = self.clone();
        set.apply(&mut wanted);
        let terms = wanted.terms();
        let waits = self
            .pending
            .as_ref()
            .filter(|pending| pending.policy == terms);
        let change = match waits {
            _ if !wanted.is_looser_than(self) => PolicyChange::AtOnce,
            Some(pending) if pending.by != by => PolicyChange::Confirms,
            Some(_) => return PolicyChange::Waits,
            None => PolicyChange::Waits,
        };
        self.pending = None;
        if change == PolicyChange::Waits {
            self.pending = Some(Box::new(PendingPolicy {
                policy: terms,
                by,
                at: now,
                applies_at: now.plus(Self::WAITS),
            }));
        } else {
            self.take(terms);
        }
        self.updated_by = Some(by);
        self.updated_at = Some(now);
        change
    }

    fn take(&mut self, terms: PolicyTerms) {
        self.rules = terms.rules;
        self.caps = terms.caps;
        self.signed_in_within = terms.signed_in_within;
    }

    /// Returns what the pending policy allows more, and from when on, in words. None without one.
    pub fn announces(&self) -> Option<String> {
        let pending = self.pending.as_ref()?;
        let mut later = self.clone();
        later.take(pending.policy.clone());
        let allowances = later.allows_more_than(self).join("; ");
        let from = pending
            .applies_at
            .to_string()
            .replace('T', " ");
        let from: String = from
            .chars()
            .take("2026-01-15 14:05".len())
            .collect();
        Some(format!(
            "From {from} UTC on, or once another admin confirms it: {allowances}"
        ))
    }
}

#[cfg(test)]
mod tests {
    use model::base::{Id, OrganizationId, input};

    use super::*;
    use serde_json::{Value, json};

    fn set(policy: &mut AgentPolicy, sent: &Value, by: i64, at: i64) -> PolicyChange {
        let sent: PolicySet = input::from_value(sent).unwrap();
        policy.change(&sent, Id::new(by).unwrap(), Timestamp::from_millis(at))
    }

    /// A policy of user 1 that asks for two approvers.
    fn strict() -> AgentPolicy {
        let mut policy = AgentPolicy::none(OrganizationId::new(1).unwrap());
        let two = json!({"rules": [{"approvers": 2}], "caps": {"actions": 3}});
        assert_eq!(set(&mut policy, &two, 1, 0), PolicyChange::AtOnce);
        policy
    }

    const DAY: i64 = AgentPolicy::WAITS;

    #[test]
    fn a_looser_policy_waits_for_a_day() {
        let mut policy = strict();
        let no_rules = || json!({"rules": []});
        assert_eq!(set(&mut policy, &no_rules(), 1, 5), PolicyChange::Waits);
        assert_eq!(policy.rules.len(), 1);
        // Asked for again, it waits no longer and no shorter.
        assert_eq!(set(&mut policy, &no_rules(), 1, 9), PolicyChange::Waits);
        let in_force = |millis| {
            policy
                .clone()
                .in_force(Timestamp::from_millis(millis))
        };
        assert_eq!(in_force(DAY + 4), policy);
        let later = in_force(DAY + 5);
        assert_eq!((later.rules.len(), &later.pending), (0, &None));
        assert_eq!(later.updated_at, Some(Timestamp::from_millis(DAY + 5)));
        assert!(
            policy.is_due(Timestamp::from_millis(DAY + 5))
                && !later.is_due(Timestamp::from_millis(DAY + 5))
        );
        let says = policy.announces().unwrap();
        assert!(
            says.starts_with("From 1970-01-02 00:00 UTC on, or once another admin confirms it: "),
            "{says}"
        );
        assert!(
            says.ends_with("2 approvers no longer needed for every action"),
            "{says}"
        );
    }

    #[test]
    fn another_user_confirms_the_same_terms() {
        let mut policy = strict();
        set(&mut policy, &json!({"rules": []}), 1, 5);
        let mut confirmed = policy.clone();
        assert_eq!(
            set(&mut confirmed, &json!({"rules": []}), 2, 6),
            PolicyChange::Confirms
        );
        assert_eq!((confirmed.rules.len(), &confirmed.pending), (0, &None));
        // Other terms are another request.
        let mut other = policy.clone();
        let more = json!({"rules": [], "caps": null});
        assert_eq!(set(&mut other, &more, 2, 6), PolicyChange::Waits);
        assert_eq!(other.pending.unwrap().by, Id::new(2).unwrap());
        // Terms that are not looser end what waits, also those in force.
        for sent in [
            json!({"caps": {"actions": 2}}),
            json!({"rules": [{"approvers": 2}]}),
        ] {
            let mut policy = policy.clone();
            assert_eq!(set(&mut policy, &sent, 2, 6), PolicyChange::AtOnce);
            assert_eq!((policy.rules.len(), &policy.pending), (1, &None));
        }
    }

    #[test]
    fn a_policy_of_an_earlier_release_has_nothing_that_waits() {
        let mut stored = json!(strict());
        stored
            .as_object_mut()
            .unwrap()
            .remove("pending");
        let read: AgentPolicy = serde_json::from_value(stored).unwrap();
        assert_eq!(read, strict());
    }
}
