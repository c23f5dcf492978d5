//! An organization's policy for its agent: required approvals and daily limits.
//!
//! The strictest rule applies. Of the rules that match an action, the largest number of approvers
//! counts, and an approver must satisfy each of them. An unknown amount of an action that moves
//! money exceeds every limit, as does an amount in another currency than the limit. So does an
//! unknown number of records.

mod looser;
mod pending;
mod sent;

pub use pending::PolicyChange;
pub use sent::PolicySet;

use std::collections::{BTreeMap, BTreeSet};

use model::{
    base::{Code, Error, OrganizationId, Timestamp, UserId, span},
    names,
    people::{EntryCredential, Journaled, Permission, Role, User, journal::subject},
};
use serde::{Deserialize, Serialize};
use strum::VariantArray;
use utoipa::ToSchema;

use crate::{
    action::{
        ActionApproval, ActionContent, ActionType, MoneyDirection, MoneyMoved, PolicyMatch,
        PolicyRule, Risk,
    },
    alert::Money,
    connection::SystemKind,
};

/// The organization's policy for the agent's actions. The strictest rule that matches an action
/// applies. An amount that is unknown, or in another currency than the limit, exceeds the limit. So
/// does an unknown number of records.
// The item's version is the policy's revision.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentPolicy {
    pub organization_id: OrganizationId,
    /// Rules of approval. If none matches, one user who may execute actions approves.
    pub rules: Vec<PolicyRule>,
    /// Caps of a day (UTC).
    pub caps: PolicyCaps,
    /// Minutes since the sign-in in which a user may approve and settle; null for any sign-in.
    #[schema(minimum = 5, maximum = 1440)]
    pub signed_in_within: Option<i64>,
    /// Looser policy that waits for another admin or for a day; null if none waits.
    #[serde(default)]
    #[schema(required = true)]
    pub pending: Option<Box<PendingPolicy>>,
    /// User who changed it last; null before the first change.
    pub updated_by: Option<UserId>,
    pub updated_at: Option<Timestamp>,
}

/// The terms of a policy: what it allows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PolicyTerms {
    pub rules: Vec<PolicyRule>,
    pub caps: PolicyCaps,
    #[schema(minimum = 5, maximum = 1440)]
    pub signed_in_within: Option<i64>,
}

/// A looser policy that is not in force yet.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PendingPolicy {
    pub policy: PolicyTerms,
    /// User who asked for it.
    pub by: UserId,
    pub at: Timestamp,
    /// The instant from which it is in force, unless another admin confirms it earlier.
    pub applies_at: Timestamp,
}

/// Daily limits (UTC) on the claims of a day.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PolicyCaps {
    /// The most actions; null for no limit.
    pub actions: Option<i64>,
    /// The most money, by currency; empty for no limit. Amounts in other currencies exceed the cap.
    pub money: Vec<Money>,
    /// The most messages to one customer; null for no limit.
    #[serde(default)]
    pub messages_per_customer: Option<i64>,
}

names! {
    /// A ready-made policy.
    pub enum PolicyPreset = "a preset" {
        /// An action that moves money or that customers notice needs another approver: neither the
        /// alert's recorder, nor the session's opener, nor the proposal's requester. An action that
        /// cannot be undone is critical and needs two.
        Billing,
    }
}

#[derive(Clone, Debug)]
pub struct Requirement<'a> {
    rules: Vec<&'a PolicyRule>,
}

/// An action's charge to the daily caps, and the most that others may have charged before.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Charge {
    /// The most other actions; none for no limit.
    pub others: Option<i64>,
    /// Its amount, and the most that others may have moved in the same currency. None if it moves
    /// no money.
    pub money: Option<(Money, i64)>,
    /// The customer who gets its message, and the most other messages. None if it sends none, or
    /// for no limit.
    pub message: Option<(String, i64)>,
}

impl AgentPolicy {
    /// Creates the policy of an organization without one: every user who may execute may approve.
    pub fn none(organization_id: OrganizationId) -> Self {
        Self {
            organization_id,
            rules: Vec::new(),
            caps: PolicyCaps::default(),
            signed_in_within: None,
            pending: None,
            updated_by: None,
            updated_at: None,
        }
    }

    /// Checks that the session of a credential began lately enough. 403 otherwise.
    pub fn check_sign_in(
        &self,
        credential: Option<&EntryCredential>,
        now: Timestamp,
    ) -> Result<(), Error> {
        let signed_in_at = credential.and_then(|credential| credential.signed_in_at);
        let (Some(minutes), Some(at)) = (self.signed_in_within, signed_in_at) else {
            return Ok(());
        };
        if now.since(at) <= minutes * span::MINUTE {
            return Ok(());
        }
        let detail = format!(
            "The organization's policy asks for a sign-in within {minutes} minutes. Sign in again."
        );
        Err(Error::forbidden(Code::SignInAgain, detail))
    }

    pub fn requires(&self, content: &ActionContent) -> Requirement<'_> {
        let rules = self.rules.iter();
        Requirement {
            rules: rules
                .filter(|rule| rule.when.fits(content))
                .collect(),
        }
    }
}

impl PolicyPreset {
    pub fn rules(self) -> Vec<PolicyRule> {
        let Self::Billing = self;
        let another = |when, approvers| PolicyRule {
            when,
            approvers,
            not_opener: true,
            ..PolicyRule::default()
        };
        let of_risk = |risk| PolicyMatch {
            risk_at_least: Some(risk),
            ..PolicyMatch::default()
        };
        let of_money = PolicyMatch {
            moves_money: Some(true),
            ..PolicyMatch::default()
        };
        vec![
            another(of_money, 1),
            another(of_risk(Risk::High), 1),
            another(of_risk(Risk::Critical), 2),
        ]
    }
}

impl PolicyMatch {
    fn fits(&self, content: &ActionContent) -> bool {
        let connection = self.connection.as_ref();
        let money = content.money.as_ref();
        // True if the amount may reach a limit.
        let reaches = |limit: &Money, moved: &MoneyMoved| match &moved.amount {
            Some(money) if money.currency == limit.currency => {
                money.minor_units.saturating_abs() >= limit.minor_units
            }
            _ => true,
        };
        let is_reached = |limit| money.is_some_and(|moved| reaches(limit, moved));
        (self.action_type).is_none_or(|action_type| action_type == content.action_type)
            && (self.risk_at_least).is_none_or(|least| content.risk >= least)
            && connection.is_none_or(|name| *name == content.target_system)
            && (self.moves_money).is_none_or(|moves| moves == money.is_some())
            && self
                .amount_at_least
                .as_ref()
                .is_none_or(is_reached)
            && (self.records_at_least).is_none_or(|least| content.touches(least))
    }
}

impl<'a> Requirement<'a> {
    /// Adds the rules that applied at the proposal. The stricter of both counts.
    #[must_use]
    pub fn and(mut self, rules: &'a [PolicyRule]) -> Self {
        self.rules.extend(rules);
        self
    }

    pub fn rules(&self) -> Vec<PolicyRule> {
        self.rules
            .iter()
            .map(|rule| (*rule).clone())
            .collect()
    }

    /// Returns the number of people who must approve.
    pub fn approvers(&self) -> usize {
        let most = self
            .rules
            .iter()
            .map(|rule| rule.approvers)
            .max();
        most.map_or(1, |most| {
            usize::try_from(most)
                .unwrap_or(1)
                .max(1)
        })
    }

    /// True if a rule denies the action to everyone.
    pub fn denies(&self) -> bool {
        self.rules.iter().any(|rule| rule.deny)
    }

    /// True if it asks for another person than the proposers, or for two. A fresh approver is
    /// neither.
    pub fn asks_for_another(&self) -> bool {
        self.approvers() > 1
            || self
                .rules
                .iter()
                .any(|rule| rule.not_opener)
    }

    /// True if an approval satisfies every rule. A rule may exclude the users with an interest in
    /// the action.
    pub fn admits(&self, approval: &ActionApproval, proposers: &[UserId]) -> bool {
        let is_involved = proposers.contains(&approval.user_id);
        if approval.is_fresh() && self.asks_for_another() {
            return false;
        }
        self.rules.iter().all(|rule| {
            let has_role = approval
                .role
                .is_some_and(|role| rule.roles.contains(&role));
            (rule.roles.is_empty() || has_role) && !(rule.not_opener && is_involved)
        })
    }

    /// Returns the number of people whose approvals count at `now`.
    pub fn given(
        &self,
        approvals: &[ActionApproval],
        proposers: &[UserId],
        now: Timestamp,
    ) -> usize {
        let counts =
            |approval: &&ActionApproval| approval.is_valid(now) && self.admits(approval, proposers);
        let counted = approvals
            .iter()
            .filter(counts)
            .map(|approval| approval.user_id);
        counted.collect::<BTreeSet<_>>().len()
    }

    /// Returns the approvers in words, as the subject of a sentence.
    pub fn who(&self) -> String {
        let has_roles = |rule: &&&PolicyRule| !rule.roles.is_empty();
        let required: Vec<_> = self
            .rules
            .iter()
            .filter(has_roles)
            .collect();
        let roles = Role::VARIANTS.iter();
        let roles = roles.filter(|role| {
            required
                .iter()
                .all(|rule| rule.roles.contains(role))
        });
        let names: Vec<&str> = roles.map(|role| role.name()).collect();
        let mut who = if required.is_empty() {
            "A user".to_owned()
        } else {
            let is_admin = names.first() == Some(&"admin");
            let article = if is_admin { "An" } else { "A" };
            format!("{article} {}", names.join(" or "))
        };
        let excludes = self
            .rules
            .iter()
            .any(|rule| rule.not_opener);
        who.push_str(match (required.is_empty(), excludes) {
            (true, true) => " who may execute actions and did not open this session",
            (true, false) => " who may execute actions",
            (false, true) => " who did not open this session",
            (false, false) => "",
        });
        who
    }

    pub fn says(&self) -> String {
        let mut text = match self.approvers() {
            1 => "one approver".to_owned(),
            several => format!("{several} different approvers"),
        };
        let roles = self
            .rules
            .iter()
            .map(|rule| &rule.roles);
        for roles in roles.filter(|roles| !roles.is_empty()) {
            let names: Vec<&str> = roles.iter().map(Into::into).collect();
            text = format!("{text} of role {}", names.join(" or "));
        }
        if self
            .rules
            .iter()
            .any(|rule| rule.not_opener)
        {
            let involved =
                "neither opened the session, nor had the action proposed, nor recorded the alert";
            text = format!("{text} who {involved}");
        }
        text
    }
}

/// Of some users, those who may approve actions now, with their roles and the time in which they
/// are fresh.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Approvers(BTreeMap<UserId, (Option<Role>, Option<Timestamp>)>);

impl Approvers {
    /// Returns those of the users who are enabled and may execute actions.
    pub fn of<'a>(users: impl IntoIterator<Item = &'a User>) -> Self {
        let may_execute =
            |user: &&User| !user.disabled && user.may(Permission::ExecuteAgentRemediation);
        let users = users.into_iter().filter(may_execute);
        let now = |user: &User| (user.id, (user.role.known(), user.fresh_until()));
        Self(users.map(now).collect())
    }

    /// Returns the approvals that these users gave, each with the user's present role and
    /// freshness.
    pub fn standing(&self, approvals: &[ActionApproval]) -> Vec<ActionApproval> {
        let standing = approvals.iter().filter_map(|approval| {
            let (role, fresh_until) = *self.0.get(&approval.user_id)?;
            Some(ActionApproval {
                role,
                fresh_until,
                ..approval.clone()
            })
        });
        standing.collect()
    }
}

impl PolicyCaps {
    /// Returns an action's charge to the daily caps; none if nothing is capped. The error says how
    /// the action alone exceeds a cap.
    pub fn charge(&self, content: &ActionContent) -> Result<Option<Charge>, String> {
        if *self == Self::default() {
            return Ok(None);
        }
        if self
            .actions
            .is_some_and(|most| most < 1)
        {
            return Err("the policy allows no actions at all".to_owned());
        }
        let mut charge = Charge {
            others: self.actions.map(|most| most - 1),
            money: None,
            message: self.message(content)?,
        };
        // Usage counts with the invoice that bills it.
        let is_counted =
            |moved: &&MoneyMoved| moved.direction != MoneyDirection::CustomerIsBilledLater;
        let moved = content
            .money
            .as_ref()
            .filter(is_counted);
        let Some(moved) = moved.filter(|_| !self.money.is_empty()) else {
            return Ok(Some(charge));
        };
        let Some(money) = &moved.amount else {
            return Err("its amount is not known, which is above every cap".to_owned());
        };
        let cap = self
            .money
            .iter()
            .find(|cap| cap.currency == money.currency);
        let Some(cap) = cap else {
            let currency = &money.currency;
            return Err(format!("the policy has no cap for {currency}"));
        };
        let mut taken = money.clone();
        taken.minor_units = taken.minor_units.saturating_abs();
        let left = cap.minor_units - taken.minor_units;
        if left < 0 {
            let cap = cap.says(SystemKind::Other);
            return Err(format!("its amount is above the cap of {cap} a day"));
        }
        charge.money = Some((taken, left));
        Ok(Some(charge))
    }

    /// Returns the charge of a message to the cap of its customer.
    fn message(&self, content: &ActionContent) -> Result<Option<(String, i64)>, String> {
        let is_message = content.action_type == ActionType::NotifyCustomer;
        let Some(most) = self
            .messages_per_customer
            .filter(|_| is_message)
        else {
            return Ok(None);
        };
        let Some(customer) = content.customer.clone() else {
            let why = "its customer is not known, and the policy caps the messages to one";
            return Err(why.to_owned());
        };
        if most < 1 {
            return Err("the policy allows no messages to customers".to_owned());
        }
        Ok(Some((customer, most - 1)))
    }
}

impl Journaled for AgentPolicy {
    const UNNOTED: &'static [&'static str] = &[
        // The actor of the entry.
        "updatedBy",
    ];

    fn subjects(&self) -> Vec<String> {
        vec![subject::POLICY.to_owned()]
    }
}
