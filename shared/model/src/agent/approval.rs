//! A session beside its approved actions: approval, cancellation and the end.

use std::ops::{Deref, DerefMut};

use super::{
    ActionResult, ActionState, AgentAction, AgentSession, AgentSessionStatus, Approving,
    ProposedAction, TargetEffect,
};
use crate::{Code, Error, Fault, FaultCode, Timestamp};

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
    pub fn approve<'a, A: DerefMut<Target = AgentAction>>(
        &mut self,
        actions: &'a mut ApprovedActions<A>,
        approving: &Approving<'_>,
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
        let is_not_done = |id: &String| actions.state(id).is_some_and(ActionState::is_not_done);
        match status {
            AgentSessionStatus::AwaitingConfirmation => {}
            _ if again && ids.iter().all(is_not_done) => self.check_failed_lately(now)?,
            _ if self.approved == sorted && !again => return Ok(Approved::Standing),
            _ => return Err(refusal(status, approving, actions)),
        }
        self.error = None;
        self.approved = sorted;
        let due = now.plus(Self::SETTLE_CHECK);
        self.turn(AgentSessionStatus::Executing, Some(due), now);
        Ok(self.queue(actions, approving, now))
    }

    /// What it proposed is not looked at any more when that was long ago.
    fn check_failed_lately(&self, now: Timestamp) -> Result<(), Error> {
        if now < self.updated_at.plus(Self::AGAIN) {
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
        let new = self
            .approved
            .iter()
            .filter(|id| !is_known(id))
            .filter_map(|id| self.proposed(id))
            .map(|proposed| AgentAction::approve(self, proposed, approving, now))
            .collect();
        let again = actions
            .known
            .iter_mut()
            .filter(|action| self.approved.contains(&action.action_id))
            .map(|action| {
                let proposed = self.proposed(&action.action_id);
                let after = proposed.map(|proposed| self.approved_before(proposed));
                action.approve_again(approving, after.unwrap_or_default(), now);
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
    pub(super) fn rivals(&self, action: &ProposedAction) -> Vec<TargetEffect> {
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
            Err(Error::conflict(
                Code::ProposalSuperseded,
                "The actions were proposed again since; read the session and approve the new ones.",
            ))
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
        let results = self.results(actions);
        let without_success = results.iter().filter(|result| !result.success).count();
        let status = match self.status {
            AgentSessionStatus::Cancelling => AgentSessionStatus::Cancelled,
            _ if without_success == 0 => AgentSessionStatus::Completed,
            _ => AgentSessionStatus::Failed,
        };
        if status == AgentSessionStatus::Failed {
            self.error = Some(format!(
                "{without_success} of {} approved actions did not succeed; see executionResults.",
                results.len()
            ));
        }
        self.turn(status, None, now);
        true
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
    approving: &Approving<'_>,
    actions: &ApprovedActions<A>,
) -> Error {
    let any_unknown = approving
        .ids
        .iter()
        .any(|id| actions.state(id) == Some(ActionState::Unknown));
    match status {
        AgentSessionStatus::Expired => Error::conflict(
            Code::SessionExpired,
            "The proposal expired after 24 hours; open another session.",
        ),
        AgentSessionStatus::Failed if any_unknown => Error::conflict(
            Code::OutcomeUnknown,
            "It is not known whether one of the actions took effect. Check the target system \
             before you go on; it cannot be run again here.",
        ),
        AgentSessionStatus::Failed if approving.again => Error::conflict(
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
