//! What can be said of proposed actions before anybody approves them.

use super::{ActionApproval, AgentPolicy, AgentSession, ProposedAction};
use crate::{Error, Fault, Timestamp};

/// What the organization's policy says of an action, in general and of somebody.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PolicyVerdict {
    /// Nobody can approve it.
    pub denied: bool,
    /// How many people have to approve it.
    pub needed: usize,
    /// How many of them have.
    pub given: usize,
    /// What it asks for, in words.
    pub asks: String,
    /// Why it is above a cap on any day, if it is.
    pub above_cap: Option<String>,
    /// Whether that person's approval would count.
    pub admits: bool,
}

impl AgentSession {
    /// The proposed actions of these ids, all or none. 400 for an id that is unknown, 409 when the only
    /// fault is that an earlier proposal gave it out.
    pub fn named(&self, ids: &[String]) -> Result<Vec<&ProposedAction>, Error> {
        let mut void = false;
        let (mut named, mut faults) = (Vec::with_capacity(ids.len()), Vec::new());
        for (at, id) in ids.iter().enumerate() {
            match self.proposed(id) {
                Some(action) => named.push(action),
                None if self.is_void(id) => void = true,
                None => {
                    let field = format!("actionIds/{at}");
                    faults.push(Fault::unknown(&field, "action of this session"));
                }
            }
        }
        if !faults.is_empty() {
            Err(Error::Invalid(faults))
        } else if void {
            Err(Self::superseded())
        } else {
            Ok(named)
        }
    }

    /// The pairs of these actions that exclude each other, by their ids.
    #[must_use]
    pub fn exclusive_pairs(actions: &[&ProposedAction]) -> Vec<[String; 2]> {
        let mut pairs = Vec::new();
        for (at, one) in actions.iter().enumerate() {
            let later = actions.iter().skip(at + 1);
            let excluded = later.filter(|other| one.excludes.contains(&other.key));
            pairs.extend(excluded.map(|other| [one.id.clone(), other.id.clone()]));
        }
        pairs
    }

    /// What a policy says of one of its actions, and of the approval that somebody would give.
    #[must_use]
    pub fn policy_verdict(
        &self,
        action: &ProposedAction,
        policy: &AgentPolicy,
        approval: &ActionApproval,
        now: Timestamp,
    ) -> PolicyVerdict {
        let requirement = policy.requires(action.subject());
        PolicyVerdict {
            denied: requirement.denies(),
            needed: requirement.approvers(),
            given: requirement.given(&action.approvals, self.proposers(), now),
            asks: requirement.says(),
            above_cap: policy.caps.charge(action.subject()).err(),
            admits: requirement.admits(approval, self.proposers()),
        }
    }
}
