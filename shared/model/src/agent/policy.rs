//! What an organization asks for before its agent acts: who approves, and how much a day takes.
//!
//! The strictest wins. Of the rules that fit an action, the largest number of approvers counts, and
//! an approver has to do for each of them. What is not known of an action is above every limit: its
//! amount where it moves money, and an amount in another currency than a limit's.

mod sent;

pub use sent::PolicySet;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{ActionApproval, ActionType, AgentAction, ProposedAction, Risk};
use crate::{Money, OrganizationId, Role, Timestamp, UserId, span};

/// The policy of an organization; its version is its revision.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AgentPolicy {
    /// Whose it is.
    pub organization_id: OrganizationId,
    /// Who has to approve what.
    pub rules: Vec<PolicyRule>,
    /// How much a day (UTC) takes.
    #[serde(default)]
    pub caps: PolicyCaps,
    /// Who changed it last; none as long as nobody has.
    pub updated_by: Option<UserId>,
    /// When that was.
    pub updated_at: Option<Timestamp>,
}

/// What the actions that fit need.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PolicyRule {
    /// Which actions it is about.
    pub when: PolicyMatch,
    /// How many people have to approve: one or two.
    #[schema(minimum = 1, maximum = 2)]
    pub approvers: i64,
    /// Roles of which each approver has one; any when empty.
    pub roles: Vec<Role>,
    /// Whether who opened the session or had the action proposed cannot approve it.
    pub not_opener: bool,
    /// Whether nobody can.
    pub deny: bool,
}

/// Which actions a rule is about: those that fit all that is given, and all actions where nothing
/// is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PolicyMatch {
    /// Of this type.
    pub action_type: Option<ActionType>,
    /// Of this risk or a higher one.
    pub risk_at_least: Option<Risk>,
    /// Of this amount or a larger one.
    pub amount_at_least: Option<Money>,
    /// Of the target system of this name.
    pub connection: Option<String>,
    /// Whether they change what somebody pays or owes.
    pub moves_money: Option<bool>,
}

/// The most of a day (UTC): of what is claimed on it to be done.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PolicyCaps {
    /// The most actions; any number when null.
    pub actions: Option<i64>,
    /// The most money, by currency; any amount when empty. One that is not listed is above it.
    pub money: Vec<Money>,
}

/// A policy that is ready to be taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum PolicyPreset {
    /// What moves money or is noticed by customers needs an approver who neither opened the session
    /// nor had it proposed; what cannot be undone needs two.
    Billing,
}

/// What a policy sees of an action.
#[derive(Clone, Copy, Debug)]
pub struct PolicySubject<'a> {
    /// Its type.
    pub action_type: ActionType,
    /// Its risk, as far as it is known.
    pub risk: Option<Risk>,
    /// Its amount, as far as it is known.
    pub money: Option<&'a Money>,
    /// Its target system.
    pub connection: &'a str,
}

/// What an action needs by all rules that fit.
#[derive(Clone, Debug)]
pub struct Requirement<'a> {
    rules: Vec<&'a PolicyRule>,
}

/// Who had an action proposed, and who cannot approve it where a rule says so.
#[derive(Clone, Copy, Debug, Default)]
pub struct Proposers {
    /// Who opened the session.
    pub opener: Option<UserId>,
    /// Who had the actions proposed.
    pub proposer: Option<UserId>,
}

/// What an action takes of its day, and how much of the day may be taken before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Charge {
    /// The most other actions; any number when none.
    pub others: Option<i64>,
    /// Its amount with the most of others, in that currency; none where it moves no money.
    pub money: Option<(Money, i64)>,
}

impl AgentPolicy {
    /// That of an organization that has none: whoever may execute approves.
    #[must_use]
    pub fn none(organization_id: OrganizationId) -> Self {
        Self {
            organization_id,
            rules: Vec::new(),
            caps: PolicyCaps::default(),
            updated_by: None,
            updated_at: None,
        }
    }

    /// What an action needs.
    #[must_use]
    pub fn requires(&self, subject: PolicySubject<'_>) -> Requirement<'_> {
        let rules = self.rules.iter();
        Requirement {
            rules: rules.filter(|rule| rule.when.fits(subject)).collect(),
        }
    }
}

impl PolicyPreset {
    /// Its rules.
    #[must_use]
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
    fn fits(&self, subject: PolicySubject<'_>) -> bool {
        let PolicySubject {
            action_type,
            risk,
            connection,
            ..
        } = subject;
        self.action_type.is_none_or(|one| one == action_type)
            && self
                .risk_at_least
                .is_none_or(|least| risk.is_none_or(|risk| risk >= least))
            && self.connection.as_ref().is_none_or(|one| one == connection)
            && self
                .moves_money
                .is_none_or(|moves| moves == subject.moves_money())
            && self
                .amount_at_least
                .as_ref()
                .is_none_or(|least| subject.reaches(least))
    }
}

impl PolicySubject<'_> {
    fn moves_money(self) -> bool {
        self.money.is_some() || self.action_type.moves_money()
    }

    /// Whether its amount may be that of a limit, or more.
    fn reaches(self, limit: &Money) -> bool {
        match self.money {
            Some(money) if money.currency == limit.currency => {
                money.minor_units.saturating_abs() >= limit.minor_units
            }
            Some(_) => true,
            None => self.moves_money(),
        }
    }
}

impl Requirement<'_> {
    /// How many people have to approve.
    #[must_use]
    pub fn approvers(&self) -> usize {
        let most = self.rules.iter().map(|rule| rule.approvers).max();
        most.map_or(1, |most| usize::try_from(most).unwrap_or(1).max(1))
    }

    /// Whether nobody can.
    #[must_use]
    pub fn denies(&self) -> bool {
        self.rules.iter().any(|rule| rule.deny)
    }

    /// Whether somebody's approval does for every rule.
    #[must_use]
    pub fn admits(&self, approval: &ActionApproval, proposers: Proposers) -> bool {
        let user = Some(approval.user_id);
        let is_involved = user == proposers.opener || user == proposers.proposer;
        self.rules.iter().all(|rule| {
            let has_role = approval.role.is_some_and(|role| rule.roles.contains(&role));
            (rule.roles.is_empty() || has_role) && !(rule.not_opener && is_involved)
        })
    }

    /// How many people's approvals count at an instant.
    #[must_use]
    pub fn given(
        &self,
        approvals: &[ActionApproval],
        proposers: Proposers,
        now: Timestamp,
    ) -> usize {
        let mut counted: Vec<UserId> = Vec::new();
        for approval in approvals {
            let is_new = !counted.contains(&approval.user_id);
            if is_new && approval.is_valid(now) && self.admits(approval, proposers) {
                counted.push(approval.user_id);
            }
        }
        counted.len()
    }

    /// What it asks for, in words.
    #[must_use]
    pub fn says(&self) -> String {
        let mut text = match self.approvers() {
            1 => "one approver".to_owned(),
            several => format!("{several} different approvers"),
        };
        let roles = self.rules.iter().map(|rule| &rule.roles);
        for roles in roles.filter(|roles| !roles.is_empty()) {
            let names: Vec<&str> = roles.iter().map(Into::into).collect();
            text = format!("{text} of role {}", names.join(" or "));
        }
        if self.rules.iter().any(|rule| rule.not_opener) {
            text.push_str(" who neither opened the session nor had the action proposed");
        }
        text
    }
}

impl ActionApproval {
    /// How long it is valid before the action is claimed, in milliseconds.
    pub const VALID: i64 = span::HOUR;

    /// Until when it is valid.
    #[must_use]
    pub fn expires_at(&self) -> Timestamp {
        self.at.plus(Self::VALID)
    }

    /// Whether it still is.
    #[must_use]
    pub fn is_valid(&self, now: Timestamp) -> bool {
        now < self.expires_at()
    }
}

impl PolicyCaps {
    /// What an action takes of its day; none where nothing is capped. The error says what of it is
    /// above a cap on any day.
    pub fn charge(&self, subject: PolicySubject<'_>) -> Result<Option<Charge>, String> {
        if self.actions.is_none() && self.money.is_empty() {
            return Ok(None);
        }
        if self.actions.is_some_and(|most| most < 1) {
            return Err("the policy allows no actions at all".to_owned());
        }
        let others = self.actions.map(|most| most - 1);
        if self.money.is_empty() || !subject.moves_money() {
            let money = None;
            return Ok(Some(Charge { others, money }));
        }
        let Some(money) = subject.money else {
            return Err("its amount is not known, which is above every cap".to_owned());
        };
        let cap = self.money.iter().find(|cap| cap.currency == money.currency);
        let Some(cap) = cap else {
            let currency = &money.currency;
            return Err(format!("the policy has no cap for {currency}"));
        };
        let amount = money.minor_units.saturating_abs();
        if amount > cap.minor_units {
            let Money {
                minor_units,
                currency,
            } = cap;
            return Err(format!(
                "its amount is above the {minor_units} minor units of {currency} of a day"
            ));
        }
        let taken = Money {
            minor_units: amount,
            currency: money.currency.clone(),
        };
        let money = Some((taken, cap.minor_units - amount));
        Ok(Some(Charge { others, money }))
    }
}

impl ProposedAction {
    /// What a policy sees of it.
    #[must_use]
    pub fn subject(&self) -> PolicySubject<'_> {
        PolicySubject {
            action_type: self.action_type,
            risk: Some(self.risk),
            money: self.money.as_ref(),
            connection: &self.target_system,
        }
    }
}

impl AgentAction {
    /// What a policy sees of it.
    #[must_use]
    pub fn subject(&self) -> PolicySubject<'_> {
        PolicySubject {
            action_type: self.action_type,
            risk: self.risk,
            money: self.money.as_ref(),
            connection: &self.target_system,
        }
    }
}
