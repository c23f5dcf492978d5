//! Approvals of an action, and the rules of a policy that ask for them.

use model::{
    base::{Timestamp, UserId, span},
    people::{Role, User},
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{
    action::{ActionType, Risk},
    alert::Money,
};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ActionApproval {
    pub user_id: UserId,
    /// The approver's role at that time.
    pub role: Option<Role>,
    pub at: Timestamp,
    /// Digest of what was approved.
    pub digest: Option<String>,
    /// Note of the approver.
    pub note: Option<String>,
    /// The [round](crate::action::AgentAction::round) that was approved; 0 until it begins.
    pub round: i64,
    /// The end of the time in which the approver is [fresh](User::fresh_until). Not stored: the
    /// user's record tells.
    #[serde(skip)]
    pub fresh_until: Option<Timestamp>,
}

impl ActionApproval {
    /// Validity of an approval before the action is claimed, in milliseconds.
    pub const VALID: i64 = span::HOUR;

    /// Creates a user's approval, without a digest.
    pub fn by(user: &User, now: Timestamp) -> Self {
        Self {
            user_id: user.id,
            role: user.role.known(),
            at: now,
            digest: None,
            note: None,
            round: 0,
            fresh_until: user.fresh_until(),
        }
    }

    /// True if the approver was fresh at the approval, or became so since.
    pub fn is_fresh(&self) -> bool {
        self.fresh_until
            .is_some_and(|until| self.at < until)
    }

    pub fn expires_at(&self) -> Timestamp {
        self.at.plus(Self::VALID)
    }

    pub fn is_valid(&self, now: Timestamp) -> bool {
        now < self.expires_at()
    }
}

/// The approval that matching actions need.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PolicyRule {
    pub when: PolicyMatch,
    /// Number of people who must approve: one or two.
    #[schema(minimum = 1, maximum = 2)]
    pub approvers: i64,
    /// Roles; each approver must have one of them. Any role if empty.
    pub roles: Vec<Role>,
    /// Excludes the users who recorded the alert, opened the session or requested the proposal.
    pub not_opener: bool,
    /// Denies the actions to everyone.
    pub deny: bool,
}

/// The actions to which a rule applies. An action matches if all given members match; without
/// members, every action does.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PolicyMatch {
    /// Actions of this type.
    pub action_type: Option<ActionType>,
    /// Actions of this risk or a higher one.
    pub risk_at_least: Option<Risk>,
    /// Actions of this amount or more.
    pub amount_at_least: Option<Money>,
    /// Actions that state a number of records, such as events to send, of this number or more.
    // Earlier releases wrote none.
    #[serde(default)]
    pub records_at_least: Option<i64>,
    /// Actions on the target system of this connection.
    pub connection: Option<String>,
    /// `true` for actions with an effect on a customer's payments or debts, now or with a later
    /// invoice; `false` for the others.
    pub moves_money: Option<bool>,
}
