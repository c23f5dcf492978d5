//! Approval of actions, and the approved actions of a session.

use std::ops::Deref;

use model::base::{Code, Error, Timestamp};

use crate::{
    action::{ActionApproval, ActionState, AgentAction},
    policy::AgentPolicy,
    session::{
        AgentSession, AgentSessionStatus, ProposedAction, expired, followed_by_another,
        next::quoted_action,
    },
};

/// The operation in a 409 for a status that allows no approval.
pub(crate) const EXECUTE: &str = "Actions cannot be executed";

/// A readable record of an action: the store holds it with the version that its next write expects.
pub trait ActionRecord: Deref<Target = AgentAction> {}

impl<A: Deref<Target = AgentAction>> ActionRecord for A {}

#[derive(Clone, Debug)]
pub struct ApprovedActions<A> {
    /// The readable records, in any order.
    pub known: Vec<A>,
    /// Ids of the unreadable records. They count as ended with an unknown outcome.
    pub unreadable: Vec<String>,
}

impl<A: ActionRecord> ApprovedActions<A> {
    pub const fn none() -> Self {
        Self {
            known: Vec::new(),
            unreadable: Vec::new(),
        }
    }

    /// Returns the state of an approved action; none if it was not approved.
    pub fn state(&self, action_id: &str) -> Option<ActionState> {
        if self
            .unreadable
            .iter()
            .any(|id| id == action_id)
        {
            return Some(ActionState::Unknown);
        }
        let mut readable = self.known.iter();
        let action = readable.find(|action| action.key.action_id == action_id);
        action.map(|action| action.state)
    }

    /// Returns the ids of queued actions that waited for an ended one. Empty until that one has
    /// ended.
    pub fn waiting_for(&self, action_id: &str) -> Vec<String> {
        if !self
            .state(action_id)
            .is_some_and(ActionState::has_ended)
        {
            return Vec::new();
        }
        let waits = |action: &&A| {
            let mut before = action
                .round
                .after
                .iter()
                .chain(&action.round.unless);
            let comes_later = before.any(|id| id == action_id);
            action.state == ActionState::Queued && comes_later
        };
        let waiting = self.known.iter().filter(waits);
        waiting
            .map(|action| action.key.action_id.clone())
            .collect()
    }

    /// True if an action may still run: it was not approved, or is certainly not done.
    pub(crate) fn may_run(&self, action_id: &str) -> bool {
        self.state(action_id)
            .is_none_or(ActionState::is_not_done)
    }

    pub fn all_ended(&self) -> bool {
        self.known
            .iter()
            .all(|action| action.state.has_ended())
    }
}

impl AgentSession {
    /// Checks that an approval of one action would be accepted at `now` from any user. 409
    /// otherwise.
    pub fn check_open(&self, action: &ProposedAction, now: Timestamp) -> Result<(), Error> {
        if self.works() {
            return Err(self.status_at(now).forbids(EXECUTE));
        }
        self.check_state(std::slice::from_ref(&action.id), true, now)
    }

    /// Checks that a list of actions can be approved, or approved again, at `now`. 409 otherwise.
    pub(crate) fn check_state(
        &self,
        ids: &[String],
        again: bool,
        now: Timestamp,
    ) -> Result<(), Error> {
        let may_run = |id: &String| match self.plan.shortfall.get(id) {
            Some(state) => again && state.is_not_done(),
            None => !self.plan.is_approved(id),
        };
        let status = self.status_at(now);
        match status {
            AgentSessionStatus::AwaitingConfirmation => {}
            _ if !self.was_executed() || !ids.iter().all(may_run) => {
                return Err(self.refusal(status, ids, again));
            }
            _ if self.plan.superseded => return Err(followed_by_another()),
            _ => {}
        }
        match self.times.approvable_until {
            Some(until) if now < until => Ok(()),
            _ if self.is_at_rest() => Err(Error::conflict(
                Code::SessionExpired,
                "The session ended more than 24 hours ago. Open another session.",
            )),
            _ => Err(expired("Have actions proposed again")),
        }
    }

    /// True once approved actions have ended.
    fn was_executed(&self) -> bool {
        self.is_at_rest() && !self.plan.approved.is_empty()
    }

    /// Checks that the policy permits an approval of an action, and the action itself. 403 or 409
    /// if not.
    pub(crate) fn check_approval(
        &self,
        action: &ProposedAction,
        policy: &AgentPolicy,
        approval: &ActionApproval,
    ) -> Result<(), Error> {
        let name = quoted_action(action);
        let requirement = policy.demands(action);
        if requirement.denies() {
            let detail = format!("The organization's policy allows no user to execute {name}.");
            return Err(Error::conflict(Code::PolicyDenied, detail));
        }
        if !requirement.admits(approval, &self.proposers(&action.id)) {
            let required = requirement.says();
            let mut detail = format!("The organization's policy requires for {name}: {required}.");
            if action
                .denied_by
                .contains(&approval.user_id)
            {
                detail += " You said that it was not done, so that you count as its proposer.";
            }
            if let Some(until) = approval
                .fresh_until
                .filter(|_| approval.is_fresh())
            {
                let fresh = format!(
                    " Another user made your account, set its password, or changed what it may do, \
                     so that your approvals count from {until} on."
                );
                detail += &fresh;
            }
            return Err(Error::forbidden(Code::ApproverNotAllowed, detail));
        }
        let charged = policy.caps.charge(&action.content);
        charged.map(|_| ()).map_err(|why| {
            let detail = format!("{name} cannot be executed: {why}.");
            Error::conflict(Code::CapReached, detail)
        })
    }

    /// Returns why a list that was not approved before cannot be executed.
    fn refusal(&self, status: AgentSessionStatus, ids: &[String], again: bool) -> Error {
        let shortfalls = || {
            ids.iter()
                .filter_map(|id| self.plan.shortfall.get(id))
        };
        let other = |why| Error::conflict(Code::OtherActionsApproved, why);
        match status {
            AgentSessionStatus::Expired => expired("Open another session"),
            AgentSessionStatus::Executing if self.works() => {
                other("The session executes other actions. Wait for their end.")
            }
            _ if self.was_executed() => {
                if shortfalls().any(|state| *state == ActionState::Unknown) {
                    let why = "The outcome of one of the actions is unknown, so that it cannot be \
                        executed again. Check the target system, then settle the action.";
                    Error::conflict(Code::OutcomeUnknown, why)
                } else if again {
                    let why = "Only actions that failed or were skipped can be executed again.";
                    Error::conflict(Code::ActionNotFailed, why)
                } else if shortfalls().next().is_some() {
                    other("To execute failed or skipped actions again, send `again: true`.")
                } else {
                    other("Some of the actions were executed before. Send only the others.")
                }
            }
            _ => status.forbids(EXECUTE),
        }
    }
}
