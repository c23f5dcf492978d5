//! The end of a session: by its actions, by a cancellation, or by later checks and verdicts.

use std::{collections::BTreeSet, ops::DerefMut};

use model::base::{Code, Error, Timestamp};

use crate::{
    action::{ActionResult, ActionState},
    check::Checks,
    session::{ActionRecord, AgentSession, AgentSessionStatus, ApprovedActions, ProposedAction},
};

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
    pub fn cancel<'a, A: ActionRecord + DerefMut>(
        &mut self,
        actions: &'a mut ApprovedActions<A>,
        now: Timestamp,
    ) -> Result<Option<Cancelled<'a, A>>, Error> {
        match self.status_at(now) {
            AgentSessionStatus::Cancelling | AgentSessionStatus::Cancelled => return Ok(None),
            status if status.has_ended() => {
                let status = status.name();
                let detail = format!("This session is {status}; there is nothing to cancel.");
                return Err(Error::conflict(Code::InvalidTransition, detail));
            }
            _ => {}
        }
        let mut ended = Vec::new();
        let mut stopping = Vec::new();
        for action in &mut actions.known {
            if action.cancel(now) {
                ended.push(&*action);
            } else if action.state == ActionState::Running {
                action.fence.stopping = true;
                stopping.push(&*action);
            }
        }
        let outcomes = ended
            .iter()
            .map(|action| (action.key.action_id.clone(), action.state));
        self.plan.shortfall.extend(outcomes);
        let due = now.plus(Self::SETTLE_CHECK);
        let (status, due) = match stopping.len() {
            0 => (AgentSessionStatus::Cancelled, None),
            _ => (AgentSessionStatus::Cancelling, Some(due)),
        };
        self.withdraw_approvals();
        self.set_status(status, due, now);
        Ok(Some(Cancelled { ended, stopping }))
    }

    /// Ends the session if each of its approved actions has ended. With an open outcome it goes on
    /// executing, and the last check or settlement ends it. Returns whether it changed.
    pub fn settle(&mut self, actions: &ApprovedActions<impl ActionRecord>, now: Timestamp) -> bool {
        if !self.works() || !actions.all_ended() {
            return false;
        }
        self.ends(actions, now);
        true
    }

    /// Sets the status that follows from its ended actions.
    fn ends(&mut self, actions: &ApprovedActions<impl ActionRecord>, now: Timestamp) {
        self.note_outcomes(actions);
        if self.status == AgentSessionStatus::Cancelling {
            self.set_status(AgentSessionStatus::Cancelled, None, now);
            return;
        }
        let mut outcomes = self.plan.shortfall.values();
        let is_open = outcomes.any(|outcome| *outcome == ActionState::Unknown);
        let count = self.plan.shortfall.len();
        self.error = (count > 0 && !is_open).then(|| {
            let total = actions.known.len() + actions.unreadable.len();
            format!("{count} of {total} approved actions did not succeed; see executionResults.")
        });
        let status = match (is_open, count) {
            (true, _) => AgentSessionStatus::Executing,
            (false, 0) => AgentSessionStatus::Completed,
            (false, _) => AgentSessionStatus::Failed,
        };
        self.end(status, now);
        self.plan.awaits_outcome = is_open;
        self.plan_visit();
        self.plan_alert_check(actions, now);
    }

    /// Notes what the results of its actions leave: the shortfall, the next checks, and the void
    /// actions.
    pub fn note_outcomes(&mut self, actions: &ApprovedActions<impl ActionRecord>) {
        let states = self
            .results(actions)
            .into_iter()
            .filter_map(|result| {
                let is_replaced = || self.is_replaced(&result.action_id, actions);
                let is_short = !(result.success || result.is_needless() || is_replaced());
                let state = actions
                    .state(&result.action_id)
                    .filter(|_| is_short)?;
                Some((result.action_id, state))
            });
        self.plan.shortfall = states.collect();
        let next = actions
            .known
            .iter()
            .filter_map(|action| {
                let is_open = action.state == ActionState::Unknown;
                let next = action
                    .next_check_at()
                    .filter(|_| is_open)?;
                Some((action.key.action_id.clone(), next))
            });
        self.plan.awaited = next.collect();
        let verified = actions
            .known
            .iter()
            .filter_map(|action| {
                let is_done = action.state == ActionState::Succeeded;
                let next = action
                    .next_check_at()
                    .filter(|_| is_done)?;
                Some((action.key.action_id.clone(), next))
            });
        self.plan.verified_at = verified.collect();
        self.plan.unverified = self
            .plan
            .verified_at
            .keys()
            .cloned()
            .collect();
        let barred = actions
            .known
            .iter()
            .filter_map(|action| {
                let id = &action.key.action_id;
                let is_short = self.plan.shortfall.contains_key(id);
                let until = action
                    .barred_until()
                    .filter(|_| is_short)?;
                Some((id.clone(), until))
            });
        self.plan.barred_until = barred.collect();
        self.plan.void = self.void_actions(actions);
    }

    /// True if an action did not run, and one that it replaces succeeded.
    fn is_replaced(&self, action_id: &str, actions: &ApprovedActions<impl ActionRecord>) -> bool {
        let may_run = actions.may_run(action_id);
        let unless = self
            .proposed(action_id)
            .map(|action| &action.unless);
        let mut others = self.plan.proposed_actions.iter();
        may_run
            && others.any(|other| {
                let is_named = unless.is_some_and(|keys| keys.contains(&other.key));
                is_named && actions.state(&other.id) == Some(ActionState::Succeeded)
            })
    }

    /// Returns the actions without a use, by the newest results: not needed, or with a false
    /// precondition.
    fn void_actions(&self, actions: &ApprovedActions<impl ActionRecord>) -> BTreeSet<String> {
        let readable = &actions.known;
        let was_changed = |id: &str| {
            let mut of_id = readable
                .iter()
                .filter(|action| action.key.action_id == *id);
            of_id.any(|action| action.state.is_not_done() && action.is_outdated())
        };
        let is_refuted = |proposed: &ProposedAction| {
            let mut done = readable.iter();
            actions.may_run(&proposed.id) && done.any(|done| done.refutes(&proposed.content))
        };
        let void = self
            .plan
            .proposed_actions
            .iter()
            .filter(|proposed| {
                let is_void = || {
                    was_changed(&proposed.id)
                        || self.is_replaced(&proposed.id, actions)
                        || is_refuted(proposed)
                };
                proposed.is_automated && is_void()
            });
        void.map(|proposed| proposed.id.clone())
            .collect()
    }

    /// Returns the results of the ended actions, in the order of the proposal.
    pub fn results(&self, actions: &ApprovedActions<impl ActionRecord>) -> Vec<ActionResult> {
        let unreadable = "The record of this action cannot be read; check the target system.";
        let unreadable = actions
            .unreadable
            .iter()
            .map(|action_id| ActionResult {
                action_id: action_id.clone(),
                success: false,
                excerpt_hash: None,
                error: Some(unreadable.to_owned()),
                steps: Vec::new(),
                checks: Checks::default(),
                verdict: None,
                executed_at: self.times.updated_at,
                duration: 0,
            });
        let readable = actions
            .known
            .iter()
            .filter_map(|action| action.result());
        let mut results: Vec<ActionResult> = readable.chain(unreadable).collect();
        results.sort_by_key(|result| {
            self.place(&result.action_id)
                .unwrap_or(usize::MAX)
        });
        results
    }

    /// Handles the end of a check, or the settlement of an action whose outcome was unknown. With
    /// the last open outcome the session ends. Then, its actions may be approved again for as long
    /// as after a failure. Returns whether its status changed.
    pub fn settle_again(
        &mut self,
        actions: &ApprovedActions<impl ActionRecord>,
        now: Timestamp,
    ) -> bool {
        let status = self.status;
        let has_failed = status == AgentSessionStatus::Failed && !self.plan.approved.is_empty();
        if self.plan.awaits_outcome || has_failed {
            self.ends(actions, now);
        } else {
            self.note_outcomes(actions);
        }
        self.status != status
    }
}
