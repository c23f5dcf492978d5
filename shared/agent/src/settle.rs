//! The end of a session: by its actions, by a cancellation, or by later checks and verdicts.

use std::ops::{Deref, DerefMut};

use super::{
    ActionResult, ActionState, AgentAction, AgentSession, AgentSessionStatus, ApprovedActions,
};
use model::{Code, Error, Timestamp};

/// The effect of a cancellation on the session's actions.
#[derive(Debug)]
pub struct Cancelled<'a, A> {
    /// Actions that ended with it.
    pub ended: Vec<&'a A>,
    /// Claimed actions, which send nothing more.
    pub stopping: Vec<&'a A>,
}

impl AgentSession {
    /// Cancels the session. Queued actions end, and claimed ones stop after their current call.
    /// Returns both, to be written together with the session. None if it was cancelled before. 409
    /// if it ended otherwise.
    ///
    /// Every action that has not ended is written. A claim or a holder thus learns of the
    /// cancellation from the action itself and need not read the session, which all its actions
    /// share.
    pub fn cancel<'a, A: DerefMut<Target = AgentAction>>(
        &mut self,
        actions: &'a mut ApprovedActions<A>,
        now: Timestamp,
    ) -> Result<Option<Cancelled<'a, A>>, Error> {
        match self.status_at(now) {
            AgentSessionStatus::Cancelling | AgentSessionStatus::Cancelled => return Ok(None),
            status if status.has_ended() => {
                return Err(Error::conflict(
                    Code::InvalidTransition,
                    format!(
                        "This session is {}; there is nothing to cancel.",
                        status.name()
                    ),
                ));
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
        let fell_short = ended
            .iter()
            .map(|one| (one.key.action_id.clone(), one.state));
        self.shortfall.extend(fell_short);
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

    /// Ends the session if each of its approved actions has ended. Returns whether it ended in this
    /// call.
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

    /// Sets the status that follows from its ended actions. Returns whether it completed.
    fn ends<A: Deref<Target = AgentAction>>(
        &mut self,
        actions: &ApprovedActions<A>,
        now: Timestamp,
    ) -> bool {
        let error = self.note_shortfall(actions);
        if self.status == AgentSessionStatus::Cancelling {
            self.turn(AgentSessionStatus::Cancelled, None, now);
            return false;
        }
        let completes = error.is_none();
        self.error = error;
        let status = if completes {
            AgentSessionStatus::Completed
        } else {
            AgentSessionStatus::Failed
        };
        self.end(status, now);
        self.plan_alert_check(actions, now);
        completes
    }

    /// Notes the approved actions that ended without success and were needed. Returns the session's
    /// error if there are any.
    fn note_shortfall<A: Deref<Target = AgentAction>>(
        &mut self,
        actions: &ApprovedActions<A>,
    ) -> Option<String> {
        let results = self.results(actions);
        let fell_short = results.iter();
        let fell_short = fell_short.filter(|one| !(one.success || one.is_needless()));
        let states = fell_short.filter_map(|one| {
            let state = actions.state(&one.action_id)?;
            Some((one.action_id.clone(), state))
        });
        self.shortfall = states.collect();
        let (count, all) = (self.shortfall.len(), results.len());
        (count > 0).then(|| {
            format!("{count} of {all} approved actions did not succeed; see executionResults.")
        })
    }

    /// Returns the results of the ended actions, in the order of the proposal.
    #[must_use]
    pub fn results<A: Deref<Target = AgentAction>>(
        &self,
        actions: &ApprovedActions<A>,
    ) -> Vec<ActionResult> {
        let unreadable = actions.unreadable.iter().map(|action_id| ActionResult {
            action_id: action_id.clone(),
            success: false,
            excerpt_hash: None,
            error: Some(
                "The record of this action cannot be read; check the target system.".to_owned(),
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

    /// Handles the settlement of an action whose outcome was unknown. A failed session completes
    /// once each approved action has succeeded. Otherwise, its actions may be approved again for as
    /// long as after a failure. Returns whether it completed in this call.
    pub fn settle_again<A: Deref<Target = AgentAction>>(
        &mut self,
        actions: &ApprovedActions<A>,
        now: Timestamp,
    ) -> bool {
        if self.status != AgentSessionStatus::Failed || self.approved.is_empty() {
            self.note_shortfall(actions);
            return false;
        }
        self.ends(actions, now)
    }
}
