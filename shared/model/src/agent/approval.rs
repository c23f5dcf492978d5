//! A session beside its approved actions: approval, cancellation and the end.

use std::ops::{Deref, DerefMut};

use super::{
    ActionApproval, ActionResult, ActionState, AgentAction, AgentSession, AgentSessionStatus,
    Approver, Approving, ProposedAction, Proposers, TargetEffect,
};
use crate::{AgentSessionId, Code, Error, Fault, FaultCode, Timestamp};

/// What a session forbids in a state that allows no approval.
const EXECUTE: &str = "Actions cannot be executed";

/// The approved actions of a session, each as `A` holds it: the store with the version that its
/// next write expects.
#[derive(Clone, Debug)]
pub struct ApprovedActions<A> {
    /// Those that read, in any order.
    pub known: Vec<A>,
    /// Ids of those whose records do not read; they count as ended, outcome unknown.
    pub unreadable: Vec<String>,
}

/// What an approval comes to.
#[derive(Debug)]
pub enum Approved<'a, A> {
    /// These are to be run, and are written together with the session.
    Queued {
        /// Those that were not done before. Then the signal must still point to the session.
        again: Vec<&'a A>,
        /// Those that were never approved before.
        new: Vec<AgentAction>,
    },
    /// More people have to approve it before it runs: the session is written, and nothing else.
    Pending,
    /// The same list was approved before: its results stand, and there is nothing to write.
    Standing,
}

/// What a cancellation does to the actions of a session.
#[derive(Debug)]
pub struct Cancelled<'a, A> {
    /// Those that ended with it.
    pub ended: Vec<&'a A>,
    /// Those that are claimed, and send nothing more.
    pub stopping: Vec<&'a A>,
}

impl<A: Deref<Target = AgentAction>> ApprovedActions<A> {
    /// None.
    #[must_use]
    pub const fn none() -> Self {
        Self {
            known: Vec::new(),
            unreadable: Vec::new(),
        }
    }

    /// Where an approved action stands; none when it was not approved.
    #[must_use]
    pub fn state(&self, action_id: &str) -> Option<ActionState> {
        if self.unreadable.iter().any(|id| id == action_id) {
            return Some(ActionState::Unknown);
        }
        self.known
            .iter()
            .find(|action| action.action_id == action_id)
            .map(|action| action.state)
    }

    /// The ids of those that waited for one that has ended; none while it has not.
    #[must_use]
    pub fn waiting_for(&self, action_id: &str) -> Vec<String> {
        if !self.state(action_id).is_some_and(ActionState::has_ended) {
            return Vec::new();
        }
        let waits = |action: &&A| {
            let comes_later = action.after.iter().any(|id| id == action_id);
            action.state == ActionState::Queued && comes_later
        };
        let waiting = self.known.iter().filter(waits);
        waiting.map(|action| action.action_id.clone()).collect()
    }

    /// Whether every one of them has ended.
    #[must_use]
    pub fn all_ended(&self) -> bool {
        self.known.iter().all(|action| action.state.has_ended())
    }
}

impl AgentSession {
    /// Approves actions, all or none.
    ///
    /// 400 for an id that is unknown or names a manual action, and for two that exclude each
    /// other; 409 for ids of an earlier proposal, while the session is not there yet, and for
    /// another list than the one that was approved. In a session that failed within the last
    /// [`AGAIN`](Self::AGAIN), actions that are not done for certain run again, if that is asked
    /// for.
    ///
    /// 409 also when an action is not what was looked at, and when the policy denies it; 403 when
    /// the policy asks for somebody else. An approval that is not enough is noted with its action,
    /// and the list runs with the one by which each action of it has enough.
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

    /// 409 where an approval of an action on its own is not taken at `now`, whoever gives it; `newest` is
    /// the session that its signal points to, as far as that is known.
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

    /// 409 where a list of actions is not approved at `now`, or not again.
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

    /// 409 unless each action is what was looked at, 400 for a digest of another one.
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
                    format!("{id:?} is not among the actions that are to be executed."),
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
                "{} changed since it was looked at; read the session and look again.",
                changed.join(", ")
            ),
        ))
    }

    /// Notes somebody's approval with each action of the list, in place of an earlier one of
    /// theirs. Answers whether every action has enough now.
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
            let requirement = approver.policy.requires(action.subject());
            let is_by_another = |one: &ActionApproval| one.user_id != approving.by;
            // Those that the policy does not count any more are not shown as if it did.
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

    /// Somebody's approval of an action. 403 and 409 where the policy does not let them give it.
    fn approval(
        &self,
        action: &ProposedAction,
        approving: &Approving<'_>,
        approver: &Approver<'_>,
        proposers: Proposers,
        now: Timestamp,
    ) -> Result<ActionApproval, Error> {
        let id = &action.id;
        let requirement = approver.policy.requires(action.subject());
        if requirement.denies() {
            return Err(Error::conflict(
                Code::PolicyDenied,
                format!("The policy of the organization lets nobody execute {id}."),
            ));
        }
        let approval = approving.approval(approver.role, action.digest(self), now);
        if !requirement.admits(&approval, proposers) {
            let asked = requirement.says();
            return Err(Error::forbidden(
                Code::ApproverNotAllowed,
                format!("For {id} the policy of the organization asks for {asked}."),
            ));
        }
        match approver.policy.caps.charge(action.subject()) {
            Ok(_) => Ok(approval),
            Err(why) => Err(Error::conflict(
                Code::CapReached,
                format!("{id} cannot be executed: {why}."),
            )),
        }
    }

    /// 409 when its proposal is a day old, and only a manual action that was handed over keeps it.
    fn check_approvable(&self, now: Timestamp) -> Result<(), Error> {
        match self.approvable_until {
            Some(until) if until <= now => Err(Self::expired("have actions proposed again")),
            _ => Ok(()),
        }
    }

    /// 409: what it proposed is a day old.
    pub(super) fn expired(advice: &str) -> Error {
        Error::conflict(
            Code::SessionExpired,
            format!("The proposal expired after 24 hours; {advice}."),
        )
    }

    /// 409: what it proposed was proposed again since.
    pub(super) fn superseded() -> Error {
        Error::conflict(
            Code::ProposalSuperseded,
            "The actions were proposed again since; read the session and approve the new ones.",
        )
    }

    /// 409: its actions run again only as long as no other session was opened on its signal.
    #[must_use]
    pub fn followed_by_another() -> Error {
        Error::conflict(
            Code::SessionSuperseded,
            "Another session was opened on the alert since; go on there.",
        )
    }

    /// What it proposed is not looked at any more when that was long ago.
    fn check_failed_lately(&self, now: Timestamp) -> Result<(), Error> {
        if now < self.failed_at.unwrap_or(self.updated_at).plus(Self::AGAIN) {
            return Ok(());
        }
        Err(Error::conflict(
            Code::SessionExpired,
            "The session failed more than 24 hours ago; open another session.",
        ))
    }

    /// Queues every approved action.
    fn queue<'a, A: DerefMut<Target = AgentAction>>(
        &self,
        actions: &'a mut ApprovedActions<A>,
        approving: &Approving<'_>,
        now: Timestamp,
    ) -> Approved<'a, A> {
        let is_known = |id: &String| actions.known.iter().any(|action| action.action_id == *id);
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
            .filter(|action| self.approved.contains(&action.action_id))
            .map(|action| {
                let proposed = self.proposed(&action.action_id);
                let after = proposed.map(|proposed| self.approved_before(proposed));
                let approvals = approvals(&action.action_id);
                let after = after.unwrap_or_default();
                action.approve_again(approvals, after, approving.trace, now);
                &*action
            })
            .collect();
        Approved::Queued { again, new }
    }

    /// The ids of the approved actions that come before an action.
    pub(super) fn approved_before(&self, action: &ProposedAction) -> Vec<String> {
        self.proposed_actions
            .iter()
            .filter(|other| action.after.contains(&other.key))
            .filter(|other| self.approved.contains(&other.id))
            .map(|other| other.id.clone())
            .collect()
    }

    /// The effects that exclude an action.
    #[must_use]
    pub fn rivals(&self, action: &ProposedAction) -> Vec<TargetEffect> {
        self.proposed_actions
            .iter()
            .filter(|other| action.excludes.contains(&other.key))
            .flat_map(ProposedAction::effects)
            .collect()
    }

    /// 400 with every id at fault; 409 when the only fault is that an earlier proposal gave it
    /// out.
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

    /// Cancels it: what is queued ends, what is claimed is told to stop and goes on to the end of
    /// its call. Answers both, which are written together with the session; none when it was
    /// cancelled before, and there is nothing to write. 409 when it ended otherwise.
    ///
    /// Every action that has not ended is written, so that whoever claims one or goes on with it
    /// learns of the cancellation from the action itself, and need not look at the session, which
    /// all of them share.
    pub fn cancel<'a, A: DerefMut<Target = AgentAction>>(
        &mut self,
        actions: &'a mut ApprovedActions<A>,
        now: Timestamp,
    ) -> Result<Option<Cancelled<'a, A>>, Error> {
        match self.status_at(now) {
            AgentSessionStatus::Cancelling | AgentSessionStatus::Cancelled => return Ok(None),
            status if status.has_ended() => {
                return Err(status.forbids("The session cannot be cancelled"));
            }
            _ => {}
        }
        let (mut ended, mut stopping) = (Vec::new(), Vec::new());
        for action in &mut actions.known {
            if action.cancel(now) {
                ended.push(&*action);
            } else if action.state == ActionState::Running {
                action.stopping = true;
                stopping.push(&*action);
            }
        }
        let (status, due) = if stopping.is_empty() {
            (AgentSessionStatus::Cancelled, None)
        } else {
            let due = now.plus(Self::SETTLE_CHECK);
            (AgentSessionStatus::Cancelling, Some(due))
        };
        self.withdraw_approvals();
        self.turn(status, due, now);
        Ok(Some(Cancelled { ended, stopping }))
    }

    /// Ends it when each of its approved actions has ended. Answers whether it ended just now.
    pub fn settle<A: Deref<Target = AgentAction>>(
        &mut self,
        actions: &ApprovedActions<A>,
        now: Timestamp,
    ) -> bool {
        if !self.status.is_running() || !actions.all_ended() {
            return false;
        }
        self.ends(actions, now);
        true
    }

    /// Takes the status that follows from what became of its actions, all of which have ended.
    pub(super) fn ends<A: Deref<Target = AgentAction>>(
        &mut self,
        actions: &ApprovedActions<A>,
        now: Timestamp,
    ) {
        let shortfall = Self::shortfall(&self.results(actions));
        let status = match self.status {
            AgentSessionStatus::Cancelling => AgentSessionStatus::Cancelled,
            _ if shortfall.is_none() => AgentSessionStatus::Completed,
            _ => AgentSessionStatus::Failed,
        };
        self.error = shortfall.filter(|_| status == AgentSessionStatus::Failed);
        self.turn(status, None, now);
    }

    /// What it says of results that are not all successes.
    pub(super) fn shortfall(results: &[ActionResult]) -> Option<String> {
        let without_success = results.iter().filter(|result| !result.success).count();
        (without_success > 0).then(|| {
            let all = results.len();
            format!(
                "{without_success} of {all} approved actions did not succeed; see executionResults."
            )
        })
    }

    /// What became of the actions that have ended, in the order of the proposal.
    #[must_use]
    pub fn results<A: Deref<Target = AgentAction>>(
        &self,
        actions: &ApprovedActions<A>,
    ) -> Vec<ActionResult> {
        let unreadable = actions.unreadable.iter().map(|action_id| ActionResult {
            action_id: action_id.clone(),
            success: false,
            response: None,
            error: Some(
                "The record of this action does not read; check the target system.".to_owned(),
            ),
            steps: Vec::new(),
            verification: None,
            reconciliation: None,
            verdict: None,
            executed_at: self.updated_at,
            duration: 0,
        });
        let mut results: Vec<ActionResult> = actions
            .known
            .iter()
            .filter_map(|action| action.result())
            .chain(unreadable)
            .collect();
        results.sort_by_key(|result| self.place(&result.action_id).unwrap_or(usize::MAX));
        results
    }
}

/// Why a list cannot be executed that is not the one that stands.
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
        AgentSessionStatus::Expired => AgentSession::expired("open another session"),
        AgentSessionStatus::Failed if any_unknown => Error::conflict(
            Code::OutcomeUnknown,
            "It is not known whether one of the actions took effect. Check the target system \
             before you go on; it cannot be run again here.",
        ),
        AgentSessionStatus::Failed if again => Error::conflict(
            Code::ActionNotFailed,
            "Only actions that failed or were skipped can be executed again.",
        ),
        AgentSessionStatus::Failed => Error::conflict(
            Code::OtherActionsApproved,
            "The session failed, with another list of actions. Those that failed or were skipped \
             are executed again with `again: true`.",
        ),
        AgentSessionStatus::Executing | AgentSessionStatus::Completed => Error::conflict(
            Code::OtherActionsApproved,
            format!(
                "The session is {}, with another list of actions.",
                status.name()
            ),
        ),
        _ => status.forbids(EXECUTE),
    }
}
