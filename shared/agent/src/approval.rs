//! Approval of actions, and the approved actions of a session.

use std::ops::{Deref, DerefMut};

use super::{
    ActionApproval, ActionState, AgentAction, AgentSession, AgentSessionStatus, Approver,
    Approving, ProposedAction, Proposers, TargetEffect,
};
use model::{AgentSessionId, Code, Error, Fault, FaultCode, Timestamp};

/// The operation in a 409 for a status that allows no approval.
const EXECUTE: &str = "Actions cannot be executed";

/// The approved actions of a session. The store holds each as `A`, with the version that its next
/// write expects.
#[derive(Clone, Debug)]
pub struct ApprovedActions<A> {
    /// The readable records, in any order.
    pub known: Vec<A>,
    /// Ids of the unreadable records. They count as ended with an unknown outcome.
    pub unreadable: Vec<String>,
}

/// The result of an approval.
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

impl<A: Deref<Target = AgentAction>> ApprovedActions<A> {
    /// Creates an empty list.
    #[must_use]
    pub const fn none() -> Self {
        Self {
            known: Vec::new(),
            unreadable: Vec::new(),
        }
    }

    /// Returns the state of an approved action; none if it was not approved.
    #[must_use]
    pub fn state(&self, action_id: &str) -> Option<ActionState> {
        if self.unreadable.iter().any(|id| id == action_id) {
            return Some(ActionState::Unknown);
        }
        self.known
            .iter()
            .find(|action| action.key.action_id == action_id)
            .map(|action| action.state)
    }

    /// Returns the ids of queued actions that waited for an ended one. Empty until that one has
    /// ended.
    #[must_use]
    pub fn waiting_for(&self, action_id: &str) -> Vec<String> {
        if !self.state(action_id).is_some_and(ActionState::has_ended) {
            return Vec::new();
        }
        let waits = |action: &&A| {
            let mut before = action.round.after.iter().chain(&action.round.unless);
            let comes_later = before.any(|id| id == action_id);
            action.state == ActionState::Queued && comes_later
        };
        let waiting = self.known.iter().filter(waits);
        waiting.map(|action| action.key.action_id.clone()).collect()
    }

    /// True if every action has ended.
    #[must_use]
    pub fn all_ended(&self) -> bool {
        self.known.iter().all(|action| action.state.has_ended())
    }
}

impl AgentSession {
    /// Approves actions, all or none.
    ///
    /// 400 for an unknown id, for a manual action, and for two actions that exclude each other. 403
    /// if the policy asks for another approver. 409 for ids of an earlier proposal, before a
    /// proposal, and for a list other than the approved one. 409 also for changed content and for
    /// an action that the policy denies.
    ///
    /// In a session that failed within the last [`AGAIN`](Self::AGAIN), actions that are certainly
    /// not done run again if the request asks for it.
    ///
    /// An insufficient approval is kept with its action. The list runs with the approval that
    /// completes each of its actions.
    pub fn approve<'a, A: DerefMut<Target = AgentAction>>(
        &mut self,
        actions: &'a mut ApprovedActions<A>,
        approving: &Approving<'_>,
        approver: &Approver<'_>,
        now: Timestamp,
    ) -> Result<Approved<'a, A>, Error> {
        let status = self.status_at(now);
        if matches!(
            status,
            AgentSessionStatus::Started | AgentSessionStatus::Analyzing
        ) {
            return Err(status.forbids(EXECUTE));
        }
        let ids = approving.ids;
        self.check_ids(ids)?;
        let mut sorted = ids.to_vec();
        sorted.sort_unstable();
        let again = approving.again && status == AgentSessionStatus::Failed;
        if self.approved == sorted && !again && status != AgentSessionStatus::AwaitingConfirmation {
            return Ok(Approved::Standing);
        }
        self.check_state(actions, ids, approving.again, now)?;
        self.check_digests(approving)?;
        if !self.note_approvals(approving, approver, now)? {
            self.updated_at = now;
            return Ok(Approved::Pending);
        }
        self.error = None;
        self.approved = sorted;
        let due = now.plus(Self::SETTLE_CHECK);
        self.turn(AgentSessionStatus::Executing, Some(due), now);
        let queued = self.queue(actions, approving, now);
        self.withdraw_approvals();
        Ok(queued)
    }

    /// Checks that an approval of one action would be accepted at `now` from any user. 409
    /// otherwise. `newest` is the session that the alert points to, if known.
    pub fn check_open<A: Deref<Target = AgentAction>>(
        &self,
        actions: &ApprovedActions<A>,
        action: &ProposedAction,
        newest: Option<AgentSessionId>,
        now: Timestamp,
    ) -> Result<(), Error> {
        match self.status_at(now) {
            status @ (AgentSessionStatus::Executing | AgentSessionStatus::Completed) => {
                return Err(status.forbids(EXECUTE));
            }
            AgentSessionStatus::Failed if newest.is_some_and(|newest| newest != self.id) => {
                return Err(Self::followed_by_another());
            }
            _ => {}
        }
        self.check_state(actions, std::slice::from_ref(&action.id), true, now)
    }

    /// Checks that a list of actions can be approved, or approved again, at `now`. 409 otherwise.
    fn check_state<A: Deref<Target = AgentAction>>(
        &self,
        actions: &ApprovedActions<A>,
        ids: &[String],
        again: bool,
        now: Timestamp,
    ) -> Result<(), Error> {
        let is_not_done = |id: &String| actions.state(id).is_some_and(ActionState::is_not_done);
        match self.status_at(now) {
            AgentSessionStatus::AwaitingConfirmation => self.check_approvable(now),
            AgentSessionStatus::Failed if again && ids.iter().all(is_not_done) => {
                self.check_failed_lately(now)
            }
            status => Err(refusal(status, ids, again, actions)),
        }
    }

    /// Checks the digests: 409 for an action that changed, 400 for a digest of an action outside
    /// the list.
    fn check_digests(&self, approving: &Approving<'_>) -> Result<(), Error> {
        let Some(digests) = approving.digests else {
            return Ok(());
        };
        let (mut faults, mut changed) = (Vec::new(), Vec::new());
        for (id, digest) in &digests.0 {
            match self.proposed(id).filter(|_| approving.ids.contains(id)) {
                Some(action) if action.digest(self) == digest.0 => {}
                Some(_) => changed.push(id.as_str()),
                None => faults.push(Fault::at(
                    "digests",
                    FaultCode::Unknown,
                    format!("{id:?} is not one of `actionIds`."),
                )),
            }
        }
        if !faults.is_empty() {
            return Err(Error::Invalid(faults));
        }
        if changed.is_empty() {
            return Ok(());
        }
        Err(Error::conflict(
            Code::ContentChanged,
            format!(
                "{} changed since you read the session. Read it again.",
                changed.join(", ")
            ),
        ))
    }

    /// Stores the user's approval with each action of the list, in place of the user's earlier one.
    /// Returns whether every action has enough approvals.
    fn note_approvals(
        &mut self,
        approving: &Approving<'_>,
        approver: &Approver<'_>,
        now: Timestamp,
    ) -> Result<bool, Error> {
        let proposers = self.proposers();
        let mut approvals = Vec::with_capacity(approving.ids.len());
        for action in approving.ids.iter().filter_map(|id| self.proposed(id)) {
            approvals.push(self.approval(action, approving, approver, proposers, now)?);
        }
        let mut are_enough = true;
        for (id, approval) in approving.ids.iter().zip(approvals) {
            let mut actions = self.proposed_actions.iter_mut();
            let Some(action) = actions.find(|action| action.id == *id) else {
                continue;
            };
            let requirement = approver.policy.requires(action.content.subject());
            let requirement = requirement.and(&action.rules);
            let is_by_another = |one: &ActionApproval| one.user_id != approving.by;
            action.approvals = approver.others.standing(&action.approvals);
            // Drops approvals that the policy no longer counts, so that none is shown as valid.
            action.approvals.retain(|one| {
                one.is_valid(now) && is_by_another(one) && requirement.admits(one, proposers)
            });
            action.approvals.push(approval);
            let needed = requirement.approvers();
            let given = requirement.given(&action.approvals, proposers, now);
            action.approvers = i64::try_from(needed).unwrap_or(i64::MAX);
            are_enough &= given >= needed;
        }
        Ok(are_enough)
    }

    /// Returns the user's approval of an action. 403 or 409 if the policy does not permit it.
    fn approval(
        &self,
        action: &ProposedAction,
        approving: &Approving<'_>,
        approver: &Approver<'_>,
        proposers: Proposers,
        now: Timestamp,
    ) -> Result<ActionApproval, Error> {
        let id = &action.id;
        let requirement = approver.policy.requires(action.content.subject());
        let requirement = requirement.and(&action.rules);
        if requirement.denies() {
            return Err(Error::conflict(
                Code::PolicyDenied,
                format!("The organization's policy allows no user to execute {id}."),
            ));
        }
        let approval = approving.approval(approver.role, action.digest(self), now);
        if !requirement.admits(&approval, proposers) {
            let asked = requirement.says();
            return Err(Error::forbidden(
                Code::ApproverNotAllowed,
                format!("The organization's policy requires for {id}: {asked}."),
            ));
        }
        match approver.policy.caps.charge(action.content.subject()) {
            Ok(_) => Ok(approval),
            Err(why) => Err(Error::conflict(
                Code::CapReached,
                format!("{id} cannot be executed: {why}."),
            )),
        }
    }

    /// 409 if its proposal is a day old and only a handed-over manual action keeps the session
    /// open.
    fn check_approvable(&self, now: Timestamp) -> Result<(), Error> {
        match self.approvable_until {
            Some(until) if until <= now => Err(Self::expired("Have actions proposed again")),
            _ => Ok(()),
        }
    }

    /// Returns the 409 for a proposal that is a day old.
    pub(super) fn expired(advice: &str) -> Error {
        Error::conflict(
            Code::SessionExpired,
            format!("The proposal expired after 24 hours. {advice}."),
        )
    }

    /// Returns the 409 for a session whose alert is resolved.
    #[must_use]
    pub fn alert_resolved() -> Error {
        Error::conflict(
            Code::AlertResolved,
            "The alert is resolved. Open it again if its matter is not settled.",
        )
    }

    /// Returns the 409 for actions of an earlier proposal.
    pub(super) fn superseded() -> Error {
        Error::conflict(
            Code::ProposalSuperseded,
            "The actions were proposed again since then. Read the session and approve the new ones.",
        )
    }

    /// Returns the 409 for a session whose alert has a newer session. Its actions cannot run again.
    #[must_use]
    pub fn followed_by_another() -> Error {
        Error::conflict(
            Code::SessionSuperseded,
            "Another session was opened on the alert since then, or the alert was resolved. Read the alert.",
        )
    }

    /// 409 if the failure is too long ago: the proposal may not match the systems any more.
    fn check_failed_lately(&self, now: Timestamp) -> Result<(), Error> {
        if now < self.failed_at.unwrap_or(self.updated_at).plus(Self::AGAIN) {
            return Ok(());
        }
        Err(Error::conflict(
            Code::SessionExpired,
            "The session failed more than 24 hours ago. Open another session.",
        ))
    }

    /// Queues every approved action.
    fn queue<'a, A: DerefMut<Target = AgentAction>>(
        &self,
        actions: &'a mut ApprovedActions<A>,
        approving: &Approving<'_>,
        now: Timestamp,
    ) -> Approved<'a, A> {
        let is_known = |id: &String| {
            actions
                .known
                .iter()
                .any(|action| action.key.action_id == *id)
        };
        let approvals = |id: &str| {
            let proposed = self.proposed(id);
            proposed.map_or_else(Vec::new, |action| action.approvals.clone())
        };
        let new = self
            .approved
            .iter()
            .filter(|id| !is_known(id))
            .filter_map(|id| self.proposed(id))
            .map(|proposed| {
                let approvals = approvals(&proposed.id);
                AgentAction::approve(self, proposed, approvals, approving.trace, now)
            })
            .collect();
        let again = actions
            .known
            .iter_mut()
            .filter(|action| self.approved.contains(&action.key.action_id))
            .map(|action| {
                let approvals = approvals(&action.key.action_id);
                action.approve_again(self, approvals, approving.trace, now);
                &*action
            })
            .collect();
        Approved::Queued { again, new }
    }

    /// Returns the ids of the approved actions with one of these keys.
    pub(super) fn approved_among(&self, keys: &[String]) -> Vec<String> {
        self.proposed_actions
            .iter()
            .filter(|other| keys.contains(&other.key) && self.approved.contains(&other.id))
            .map(|other| other.id.clone())
            .collect()
    }

    /// Returns the effects of the actions that exclude an action, without those that it claims
    /// itself.
    #[must_use]
    pub fn rivals(&self, action: &ProposedAction) -> Vec<TargetEffect> {
        let own: Vec<TargetEffect> = action.content.effects().collect();
        self.proposed_actions
            .iter()
            .filter(|other| action.excludes.contains(&other.key))
            .flat_map(|other| other.content.effects())
            .filter(|effect| !own.contains(effect))
            .collect()
    }

    /// Checks ids. 400 with every id at fault; 409 if the only fault is an id of an earlier
    /// proposal.
    fn check_ids(&self, ids: &[String]) -> Result<(), Error> {
        let mut void = false;
        let mut faults = Vec::new();
        for (at, id) in ids.iter().enumerate() {
            let field = format!("actionIds/{at}");
            match self.proposed(id) {
                Some(action) if action.is_automated => {
                    let mut earlier = ids.iter().take(at).filter_map(|id| self.proposed(id));
                    if let Some(other) = earlier.find(|one| action.excludes.contains(&one.key)) {
                        faults.push(Fault::at(
                            &field,
                            FaultCode::Exclusive,
                            format!("This action and {} exclude each other.", other.id),
                        ));
                    }
                }
                Some(_) => faults.push(Fault::at(
                    &field,
                    FaultCode::Manual,
                    "This action is manual: a person has to do it.",
                )),
                None if self.is_void(id) => void = true,
                None => faults.push(Fault::unknown(&field, "action of this session")),
            }
        }
        if !faults.is_empty() {
            Err(Error::Invalid(faults))
        } else if void {
            Err(Self::superseded())
        } else {
            Ok(())
        }
    }
}

/// Returns why a list other than the approved one cannot be executed.
fn refusal<A: Deref<Target = AgentAction>>(
    status: AgentSessionStatus,
    ids: &[String],
    again: bool,
    actions: &ApprovedActions<A>,
) -> Error {
    let any_unknown = ids
        .iter()
        .any(|id| actions.state(id) == Some(ActionState::Unknown));
    match status {
        AgentSessionStatus::Expired => AgentSession::expired("Open another session"),
        AgentSessionStatus::Failed if any_unknown => Error::conflict(
            Code::OutcomeUnknown,
            "The outcome of one of the actions is unknown, so that it cannot be executed again. \
             Check the target system before you continue.",
        ),
        AgentSessionStatus::Failed if again => Error::conflict(
            Code::ActionNotFailed,
            "Only actions that failed or were skipped can be executed again.",
        ),
        AgentSessionStatus::Failed => Error::conflict(
            Code::OtherActionsApproved,
            "The session failed with another list of actions. To execute the failed or skipped \
             ones again, send `again: true`.",
        ),
        AgentSessionStatus::Executing | AgentSessionStatus::Completed => Error::conflict(
            Code::OtherActionsApproved,
            format!(
                "The session is {} with another list of actions.",
                status.name()
            ),
        ),
        _ => status.forbids(EXECUTE),
    }
}
