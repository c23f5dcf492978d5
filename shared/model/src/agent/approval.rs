//! A session beside its approved actions: approval, cancellation and the end.

use std::ops::{Deref, DerefMut};

use super::{ActionResult, ActionState, AgentAction, AgentSession, AgentSessionStatus};
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
        /// Those that failed before.
        again: Vec<&'a A>,
        /// Those that were never approved before.
        new: Vec<AgentAction>,
    },
    /// The same list was approved before: its results stand, and there is nothing to write.
    Standing,
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

    /// Whether every one of them has ended.
    #[must_use]
    pub fn all_ended(&self) -> bool {
        self.known.iter().all(|action| action.state.has_ended())
    }
}

impl AgentSession {
    /// Approves actions, all or none; `ids` are distinct. `trace` is that of the request, by which
    /// the logs have it.
    ///
    /// 400 for an id that is unknown or names a manual action; 409 for ids of an earlier proposal,
    /// while the session is not there yet, and for another list than the one that was approved.
    /// In a failed session, a list of actions that failed for certain is run again.
    pub fn approve<'a, A: DerefMut<Target = AgentAction>>(
        &mut self,
        actions: &'a mut ApprovedActions<A>,
        ids: &[String],
        trace: Option<&str>,
        now: Timestamp,
    ) -> Result<Approved<'a, A>, Error> {
        let status = self.status_at(now);
        if matches!(
            status,
            AgentSessionStatus::Started | AgentSessionStatus::Analyzing
        ) {
            return Err(status.forbids(EXECUTE));
        }
        self.check_ids(ids)?;
        let mut sorted = ids.to_vec();
        sorted.sort_unstable();
        let has_failed = |id: &String| actions.state(id) == Some(ActionState::Failed);
        match status {
            AgentSessionStatus::AwaitingConfirmation => {}
            AgentSessionStatus::Failed if ids.iter().all(has_failed) => {}
            _ if self.approved == sorted => return Ok(Approved::Standing),
            _ => return Err(refusal(status, actions, ids)),
        }
        self.error = None;
        self.approved = sorted;
        let due = now.plus(Self::SETTLE_CHECK);
        self.turn(AgentSessionStatus::Executing, Some(due), now);
        Ok(self.queue(actions, trace, now))
    }

    /// Queues every approved action.
    fn queue<'a, A: DerefMut<Target = AgentAction>>(
        &self,
        actions: &'a mut ApprovedActions<A>,
        trace: Option<&str>,
        now: Timestamp,
    ) -> Approved<'a, A> {
        let is_known = |id: &String| actions.known.iter().any(|action| action.action_id == *id);
        let new = self
            .approved
            .iter()
            .filter(|id| !is_known(id))
            .filter_map(|id| self.proposed(id))
            .map(|proposed| AgentAction::approve(self, proposed, trace, now))
            .collect();
        let again = actions
            .known
            .iter_mut()
            .filter(|action| self.approved.contains(&action.action_id))
            .map(|action| {
                action.approve_again(trace, now);
                &*action
            })
            .collect();
        Approved::Queued { again, new }
    }

    /// 400 with every id at fault; 409 when the only fault is that an earlier proposal gave it
    /// out.
    fn check_ids(&self, ids: &[String]) -> Result<(), Error> {
        let mut void = false;
        let mut faults = Vec::new();
        for (at, id) in ids.iter().enumerate() {
            let field = format!("actionIds/{at}");
            match self.proposed(id) {
                Some(action) if action.is_automated => {}
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

    /// Cancels it: what is queued ends, what is claimed goes on to its end. Answers the actions
    /// that ended with it, which are written together with the session; none when it was cancelled
    /// before, and there is nothing to write. 409 when it ended otherwise.
    pub fn cancel<'a, A: DerefMut<Target = AgentAction>>(
        &mut self,
        actions: &'a mut ApprovedActions<A>,
        now: Timestamp,
    ) -> Result<Option<Vec<&'a A>>, Error> {
        match self.status_at(now) {
            AgentSessionStatus::Cancelling | AgentSessionStatus::Cancelled => return Ok(None),
            status if status.has_ended() => {
                return Err(status.forbids("The session cannot be cancelled"));
            }
            _ => {}
        }
        let one_runs = actions
            .known
            .iter()
            .any(|action| action.state == ActionState::Running);
        let ended = actions
            .known
            .iter_mut()
            .filter_map(|action| action.cancel(now).then_some(&*action))
            .collect();
        let (status, due) = if one_runs {
            let due = now.plus(Self::SETTLE_CHECK);
            (AgentSessionStatus::Cancelling, Some(due))
        } else {
            (AgentSessionStatus::Cancelled, None)
        };
        self.turn(status, due, now);
        Ok(Some(ended))
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
    actions: &ApprovedActions<A>,
    ids: &[String],
) -> Error {
    let any_unknown = ids
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
        AgentSessionStatus::Failed => Error::conflict(
            Code::ActionNotFailed,
            "Only actions that failed can be executed again.",
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
