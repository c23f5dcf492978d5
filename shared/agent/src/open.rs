//! Open work of a session: the actions that a user still has to approve or settle.

use super::{ActionState, AgentSession, AgentSessionStatus, ProposedAction};
use model::Timestamp;

/// The open work on an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpenWork {
    /// An automated action can be approved.
    Approve,
    /// An automated action is certainly not done, and can be approved again.
    ApproveAgain,
    /// The outcome of an automated action is unknown. A user settles it.
    Judge,
    /// A manual action is neither settled nor handed over.
    ByHand,
}

impl OpenWork {
    /// True if it is an approval. The actions of a resolved alert are not approved.
    #[must_use]
    pub const fn is_approval(self) -> bool {
        matches!(self, Self::Approve | Self::ApproveAgain)
    }
}

impl AgentSession {
    /// Returns the actions with open work at `now`, in the order of the proposal. `is_resolved` says
    /// that its alert is resolved.
    pub fn open_actions(
        &self,
        is_resolved: bool,
        now: Timestamp,
    ) -> impl Iterator<Item = (&ProposedAction, OpenWork)> {
        let all = self.proposed_actions.iter();
        let open = all.filter_map(move |action| Some((action, self.open_work(action, now)?)));
        open.filter(move |(_, work)| !(is_resolved && work.is_approval()))
    }

    /// True if it belongs in the list of open work, as of its last write.
    #[must_use]
    pub fn has_open_work(&self) -> bool {
        let mut open = self.open_actions(false, self.updated_at);
        self.status == AgentSessionStatus::AwaitingConfirmation || open.next().is_some()
    }

    /// Returns until when its actions can be approved. A proposal can be approved for 24 hours, however
    /// long a manual action keeps the session open. After the end, other actions can be approved for
    /// as long.
    #[must_use]
    pub fn approvable_until(&self, now: Timestamp) -> Option<Timestamp> {
        let awaits = self.status_at(now) == AgentSessionStatus::AwaitingConfirmation;
        let mut open = self.open_actions(false, now);
        let is_open = awaits || open.any(|(_, work)| work.is_approval());
        let until = self.approvable_until.filter(|until| now < *until);
        until.filter(|_| is_open)
    }

    /// True if an action was approved.
    #[must_use]
    pub fn is_approved(&self, action_id: &str) -> bool {
        self.approved.iter().flatten().any(|id| id == action_id)
    }

    /// Returns an approved action that may be done and that excludes this one.
    pub(super) fn rival_of(&self, action: &ProposedAction) -> Option<&ProposedAction> {
        let is_not_done = |id: &str| {
            let state = self.shortfall.get(id);
            state.is_some_and(|state| state.is_not_done())
        };
        self.proposed_actions.iter().find(|other| {
            let is_excluded = action.excludes.contains(&other.key);
            is_excluded && self.is_approved(&other.id) && !is_not_done(&other.id)
        })
    }

    fn open_work(&self, action: &ProposedAction, now: Timestamp) -> Option<OpenWork> {
        use AgentSessionStatus::{AwaitingConfirmation, Completed, Executing, Failed};
        let status = self.status_at(now);
        if !action.is_automated {
            let stands = matches!(
                status,
                AwaitingConfirmation | Executing | Completed | Failed
            );
            return (stands && action.handling.is_none()).then_some(OpenWork::ByHand);
        }
        let shortfall = self.shortfall.get(&action.id);
        if shortfall == Some(&ActionState::Unknown) {
            return Some(OpenWork::Judge);
        }
        let is_in_time = self.approvable_until.is_some_and(|until| now < until);
        let stands = matches!(status, AwaitingConfirmation | Completed | Failed);
        if !stands || !is_in_time || self.superseded || self.rival_of(action).is_some() {
            return None;
        }
        match shortfall {
            Some(_) => Some(OpenWork::ApproveAgain),
            None if self.is_approved(&action.id) => None,
            None => Some(OpenWork::Approve),
        }
    }
}
