//! Approval of actions, and the approved actions of a session.

use std::ops::{Deref, DerefMut};

use model::base::{Code, Error, Fault, FaultCode, Timestamp};

use crate::{
    action::{ActionState, AgentAction},
    policy::{ActionApproval, AgentPolicy},
    session::{
        AgentSession, AgentSessionStatus, Approver, Approving, ProposedAction, next::quoted,
    },
};

/// The operation in a 409 for a status that allows no approval.
const EXECUTE: &str = "Actions cannot be executed";

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

#[derive(Debug)]
pub enum Approved<'a, A> {
    /// Actions to run, written together with the session.
    Queued {
        /// Actions approved again. The alert must still point to the session.
        again: Vec<&'a A>,
        /// Actions approved for the first time.
        new: Vec<AgentAction>,
    },
    /// More approvers are needed. Only the session is written.
    Pending,
    /// An earlier request approved this list. Its results stand, and nothing is written.
    Standing,
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
    /// Approves actions, all or none.
    ///
    /// 400 for an unknown id, for a manual action, and for two actions that share a record and have
    /// no order. 403 if the policy asks for another approver. 409 for ids of an earlier proposal,
    /// before a proposal, and for a list other than the approved one. 409 also for changed content
    /// and for an action that the policy denies.
    ///
    /// Within [`AGAIN`](Self::AGAIN) after the end, while the alert has no newer session, other
    /// actions can be approved. Actions that are certainly not done run again if the request asks
    /// for it.
    ///
    /// An insufficient approval is kept with its action. The list runs with the approval that
    /// completes each of its actions.
    pub fn approve<'a, A: ActionRecord + DerefMut>(
        &mut self,
        actions: &'a mut ApprovedActions<A>,
        approving: &Approving<'_>,
        approver: &Approver<'_>,
        now: Timestamp,
    ) -> Result<Approved<'a, A>, Error> {
        let status = self.status_at(now);
        if let AgentSessionStatus::Started | AgentSessionStatus::Analyzing = status {
            return Err(status.forbids(EXECUTE));
        }
        let ids = approving.ids;
        self.check_ids(ids)?;
        let mut sorted = ids.to_vec();
        sorted.sort_unstable();
        let may_repeat = status == AgentSessionStatus::Failed || self.plan.awaits_outcome;
        let again = approving.again && may_repeat;
        if self.plan.approved.contains(&sorted) && !again {
            return Ok(Approved::Standing);
        }
        self.check_state(ids, approving.again, now)?;
        self.check_digests(approving)?;
        if !self.note_approvals(approving, approver, now)? {
            self.times.updated_at = now;
            return Ok(Approved::Pending);
        }
        self.error = None;
        self.plan
            .shortfall
            .retain(|id, _| !ids.contains(id));
        if !self.plan.approved.contains(&sorted) {
            self.plan.approved.push(sorted);
        }
        let due = now.plus(Self::SETTLE_CHECK);
        self.set_status(AgentSessionStatus::Executing, Some(due), now);
        let queued = self.queue(actions, approving, now);
        let proposed_actions = self.plan.proposed_actions.iter_mut();
        for action in proposed_actions.filter(|action| ids.contains(&action.id)) {
            action.approvals.clear();
        }
        Ok(queued)
    }

    /// Checks that an approval of one action would be accepted at `now` from any user. 409
    /// otherwise.
    pub fn check_open(&self, action: &ProposedAction, now: Timestamp) -> Result<(), Error> {
        if self.works() {
            return Err(self.status_at(now).forbids(EXECUTE));
        }
        self.check_state(std::slice::from_ref(&action.id), true, now)
    }

    /// Checks that a list of actions can be approved, or approved again, at `now`. 409 otherwise.
    fn check_state(&self, ids: &[String], again: bool, now: Timestamp) -> Result<(), Error> {
        let may_run = |id: &String| match self.plan.shortfall.get(id) {
            Some(state) => again && state.is_not_done(),
            None => !self.is_approved(id),
        };
        let status = self.status_at(now);
        match status {
            AgentSessionStatus::AwaitingConfirmation => {}
            _ if !self.was_executed() || !ids.iter().all(may_run) => {
                return Err(self.refusal(status, ids, again));
            }
            _ if self.plan.superseded => return Err(Self::followed_by_another()),
            _ => {}
        }
        match self.times.approvable_until {
            Some(until) if now < until => Ok(()),
            _ if self.is_at_rest() => Err(Error::conflict(
                Code::SessionExpired,
                "The session ended more than 24 hours ago. Open another session.",
            )),
            _ => Err(Self::expired("Have actions proposed again")),
        }
    }

    /// True once approved actions have ended.
    fn was_executed(&self) -> bool {
        self.is_at_rest() && !self.plan.approved.is_empty()
    }

    /// Checks the digests: 409 for an action that changed, 400 for a digest of an action outside
    /// the list.
    fn check_digests(&self, approving: &Approving<'_>) -> Result<(), Error> {
        let Some(digests) = approving.digests else {
            return Ok(());
        };
        let mut faults = Vec::new();
        let mut changed = Vec::new();
        for (id, digest) in &digests.0 {
            match self
                .proposed(id)
                .filter(|_| approving.ids.contains(id))
            {
                Some(action) if action.digest(self) == digest.0 => {}
                Some(action) => changed.push(quoted(action)),
                None => {
                    let detail = format!("{id:?} is not one of `actionIds`.");
                    faults.push(Fault::at("digests", FaultCode::Unknown, detail));
                }
            }
        }
        if !faults.is_empty() {
            return Err(Error::Invalid(faults));
        }
        if !changed.is_empty() {
            let changed = changed.join(", ");
            let detail = format!("{changed} changed since you read the session. Read it again.");
            return Err(Error::conflict(Code::ContentChanged, detail));
        }
        Ok(())
    }

    /// Stores the user's approval with each action of the list, in place of the user's earlier one.
    /// Returns whether every action has enough approvals.
    fn note_approvals(
        &mut self,
        approving: &Approving<'_>,
        approver: &Approver<'_>,
        now: Timestamp,
    ) -> Result<bool, Error> {
        let mut approvals = Vec::with_capacity(approving.ids.len());
        for action in approving
            .ids
            .iter()
            .filter_map(|id| self.proposed(id))
        {
            let approval = approving.approval(approver.user, action.digest(self), now);
            self.check_approval(action, approver.policy, &approval)?;
            self.check_provider(action, approver, now)?;
            approvals.push(approval);
        }
        let mut are_enough = true;
        for (id, approval) in approving.ids.iter().zip(approvals) {
            let proposers = &self.proposers(id);
            let Some(action) = self.proposed_mut(id) else {
                continue;
            };
            let requirement = approver
                .policy
                .requires(&action.content)
                .and(&action.rules);
            let is_by_another = |approval: &ActionApproval| approval.user_id != approving.by;
            action.approvals = approver
                .others
                .standing(&action.approvals);
            // Drops approvals that the policy no longer counts, so that none is shown as valid.
            action.approvals.retain(|approval| {
                approval.is_valid(now)
                    && is_by_another(approval)
                    && requirement.admits(approval, proposers)
            });
            action.approvals.push(approval);
            let needed = requirement.approvers();
            let approver_count = requirement.given(&action.approvals, proposers, now);
            action.approvers = i64::try_from(needed).unwrap_or(i64::MAX);
            are_enough &= approver_count >= needed;
        }
        Ok(are_enough)
    }

    /// Checks that the policy permits an approval of an action, and the action itself. 403 or 409
    /// if not.
    pub(crate) fn check_approval(
        &self,
        action: &ProposedAction,
        policy: &AgentPolicy,
        approval: &ActionApproval,
    ) -> Result<(), Error> {
        let name = quoted(action);
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

    /// Checks that no user who chose the provider of the approver's session has an interest in the
    /// action. 403 otherwise.
    fn check_provider(
        &self,
        action: &ProposedAction,
        approver: &Approver<'_>,
        now: Timestamp,
    ) -> Result<(), Error> {
        let Some(by) = approver.provider_set_by else {
            return Ok(());
        };
        let mut approvals = action.approvals.iter();
        let has_approved =
            approvals.any(|approval| approval.user_id == by && approval.is_valid(now));
        if !has_approved && !self.proposers(&action.id).contains(&by) {
            return Ok(());
        }
        let name = quoted(action);
        let detail = format!(
            "You signed in by a provider that a user set within a day who opened, proposed or approved {name}. \
             Another approver is needed, or a sign-in by password."
        );
        Err(Error::forbidden(Code::ApproverNotAllowed, detail))
    }

    /// Returns the 409 for a proposal that is a day old.
    pub(crate) fn expired(advice: &str) -> Error {
        let detail = format!("The proposal expired after 24 hours. {advice}.");
        Error::conflict(Code::SessionExpired, detail)
    }

    pub fn alert_resolved() -> Error {
        let detail = "The alert is resolved. Open it again if its matter is not settled.";
        Error::conflict(Code::AlertResolved, detail)
    }

    /// Returns the 409 for actions of an earlier proposal.
    pub(crate) fn superseded() -> Error {
        let detail = "The actions were proposed again since then. Read the session and approve the new ones.";
        Error::conflict(Code::ProposalSuperseded, detail)
    }

    /// Returns the 409 for a session whose alert has a newer session. Its actions cannot run again.
    pub fn followed_by_another() -> Error {
        let detail = "Another session was opened on the alert since then. Read the alert.";
        Error::conflict(Code::SessionSuperseded, detail)
    }

    fn queue<'a, A: ActionRecord + DerefMut>(
        &self,
        actions: &'a mut ApprovedActions<A>,
        approving: &Approving<'_>,
        now: Timestamp,
    ) -> Approved<'a, A> {
        let listed = approving.ids;
        let mut new = Vec::new();
        let proposed_actions = self.plan.proposed_actions.iter();
        for proposed in proposed_actions.filter(|action| listed.contains(&action.id)) {
            let trace = approving.trace;
            let approvals = proposed.approvals.clone();
            let mut readable = actions.known.iter_mut();
            match readable.find(|action| action.key.action_id == proposed.id) {
                Some(action) => action.approve_again(self, approvals, trace, now),
                None => new.push(AgentAction::approve(self, proposed, approvals, trace, now)),
            }
        }
        let is_listed = |action: &&A| listed.contains(&action.key.action_id);
        let again = actions
            .known
            .iter()
            .filter(is_listed)
            .collect();
        Approved::Queued { again, new }
    }

    /// Returns the ids of the approved actions with one of these keys.
    pub(crate) fn approved_among(&self, keys: &[String]) -> Vec<String> {
        let proposed_actions = self.plan.proposed_actions.iter();
        let among = proposed_actions
            .filter(|action| keys.contains(&action.key) && self.is_approved(&action.id));
        among
            .map(|action| action.id.clone())
            .collect()
    }

    /// Returns the ids of the actions that are not approved together with an action: both share a
    /// record, and neither comes before the other.
    pub fn excluded_by(&self, action: &ProposedAction) -> Vec<String> {
        let proposed_actions = self.plan.proposed_actions.iter();
        let excluded = proposed_actions.filter(|other| self.are_exclusive(action, other));
        excluded
            .map(|other| other.id.clone())
            .collect()
    }

    pub(crate) fn are_exclusive(&self, action: &ProposedAction, other: &ProposedAction) -> bool {
        action.key != other.key
            && action.is_automated
            && other.is_automated
            && action.content.meets(&other.content)
            && !self.comes_after(action, other)
            && !self.comes_after(other, action)
    }

    /// True if an action comes after another one, directly or not. Playbooks have no circles.
    fn comes_after(&self, action: &ProposedAction, other: &ProposedAction) -> bool {
        let mut before = action
            .after
            .iter()
            .chain(&action.unless);
        before.any(|key| {
            let mut proposed_actions = self.plan.proposed_actions.iter();
            let predecessor = proposed_actions.find(|proposed| proposed.key == *key);
            predecessor.is_some_and(|predecessor| {
                predecessor.key == other.key || self.comes_after(predecessor, other)
            })
        })
    }

    /// Checks ids. 400 with every id at fault; 409 if the only fault is an id of an earlier
    /// proposal.
    fn check_ids(&self, ids: &[String]) -> Result<(), Error> {
        let fault = |at: usize, action: &ProposedAction| {
            if !action.is_automated {
                let detail = "This action is manual: a person has to do it.";
                return Some((FaultCode::Manual, detail.to_owned()));
            }
            let mut earlier = ids
                .iter()
                .take(at)
                .filter_map(|id| self.proposed(id));
            let other = earlier.find(|proposed| self.are_exclusive(action, proposed))?;
            let detail = format!("This action and {} share a record.", quoted(other));
            Some((FaultCode::Exclusive, detail))
        };
        self.named_without(ids, fault)
            .map(|_| ())
    }

    /// Returns why a list that was not approved before cannot be executed.
    fn refusal(&self, status: AgentSessionStatus, ids: &[String], again: bool) -> Error {
        let shortfalls = || {
            ids.iter()
                .filter_map(|id| self.plan.shortfall.get(id))
        };
        let other = |why| Error::conflict(Code::OtherActionsApproved, why);
        match status {
            AgentSessionStatus::Expired => Self::expired("Open another session"),
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
