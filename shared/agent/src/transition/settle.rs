//! The end of a session: by its actions, by a cancellation, or by later checks and verdicts.

use std::{collections::BTreeSet, ops::DerefMut};

use model::base::{Code, Error, Timestamp};

use crate::{
    action::ActionState,
    session::{ActionRecord, AgentSession, AgentSessionStatus, ApprovedActions, ProposedAction},
};

use super::{
    alert_end::plan_alert_check,
    ending::cancel_queued,
    status::{end_session, plan_visit, set_status, withdraw_approvals},
};

#[derive(Debug)]
pub(crate) struct Cancelled<'a, A> {
    /// Actions that ended with it.
    pub ended: Vec<&'a A>,
    /// Claimed actions, which send nothing more.
    pub stopping: Vec<&'a A>,
}

/// Cancels the session. Queued actions end, and claimed ones stop after their current call.
/// Returns both, to be written together with the session. None if it was cancelled before. 409
/// if it ended otherwise.
///
/// Every action that has not ended is written. A claim or a holder thus learns of the
/// cancellation from the action itself and need not read the session, which all its actions
/// share.
pub(crate) fn cancel<'a, A: ActionRecord + DerefMut>(
    session: &mut AgentSession,
    actions: &'a mut ApprovedActions<A>,
    now: Timestamp,
) -> Result<Option<Cancelled<'a, A>>, Error> {
    match session.status_at(now) {
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
        if cancel_queued(action, now) {
            ended.push(&*action);
        } else if action.state == ActionState::Running {
            action.fence.stopping = true;
            stopping.push(&*action);
        }
    }
    let outcomes = ended
        .iter()
        .map(|action| (action.key.action_id.clone(), action.state));
    session.plan.shortfall.extend(outcomes);
    let due = now.plus(AgentSession::SETTLE_CHECK);
    let (status, due) = match stopping.len() {
        0 => (AgentSessionStatus::Cancelled, None),
        _ => (AgentSessionStatus::Cancelling, Some(due)),
    };
    withdraw_approvals(session);
    set_status(session, status, due, now);
    Ok(Some(Cancelled { ended, stopping }))
}

/// Ends the session if each of its approved actions has ended. With an open outcome it goes on
/// executing, and the last check or settlement ends it. Returns whether it changed.
pub(crate) fn settle(
    session: &mut AgentSession,
    actions: &ApprovedActions<impl ActionRecord>,
    now: Timestamp,
) -> bool {
    if !session.works() || !actions.all_ended() {
        return false;
    }
    end_by_actions(session, actions, now);
    true
}

/// Sets the status that follows from its ended actions.
pub(crate) fn end_by_actions(
    session: &mut AgentSession,
    actions: &ApprovedActions<impl ActionRecord>,
    now: Timestamp,
) {
    note_outcomes(session, actions);
    if session.status == AgentSessionStatus::Cancelling {
        set_status(session, AgentSessionStatus::Cancelled, None, now);
        return;
    }
    let mut outcomes = session.plan.shortfall.values();
    let is_open = outcomes.any(|outcome| *outcome == ActionState::Unknown);
    let count = session.plan.shortfall.len();
    session.error = (count > 0 && !is_open).then(|| {
        let total = actions.known.len() + actions.unreadable.len();
        format!("{count} of {total} approved actions did not succeed; see executionResults.")
    });
    let status = match (is_open, count) {
        (true, _) => AgentSessionStatus::Executing,
        (false, 0) => AgentSessionStatus::Completed,
        (false, _) => AgentSessionStatus::Failed,
    };
    end_session(session, status, now);
    session.plan.awaits_outcome = is_open;
    plan_visit(session);
    plan_alert_check(session, actions, now);
}

/// Notes what the results of its actions leave: the shortfall, the next checks, and the void
/// actions.
pub(crate) fn note_outcomes(
    session: &mut AgentSession,
    actions: &ApprovedActions<impl ActionRecord>,
) {
    let states = session
        .results(actions)
        .into_iter()
        .filter_map(|result| {
            let is_replaced = || is_replaced(session, &result.action_id, actions);
            let is_short = !(result.success || result.is_needless() || is_replaced());
            let state = actions
                .state(&result.action_id)
                .filter(|_| is_short)?;
            Some((result.action_id, state))
        });
    session.plan.shortfall = states.collect();
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
    session.plan.awaited = next.collect();
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
    session.plan.verified_at = verified.collect();
    session.plan.unverified = session
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
            let is_short = session.plan.shortfall.contains_key(id);
            let until = action
                .barred_until()
                .filter(|_| is_short)?;
            Some((id.clone(), until))
        });
    session.plan.barred_until = barred.collect();
    session.plan.void = void_actions(session, actions);
}

/// True if an action did not run, and one that it replaces succeeded.
pub(crate) fn is_replaced(
    session: &AgentSession,
    action_id: &str,
    actions: &ApprovedActions<impl ActionRecord>,
) -> bool {
    let may_run = actions.may_run(action_id);
    let unless = session
        .plan
        .proposed(action_id)
        .map(|action| &action.unless);
    let mut others = session.plan.proposed_actions.iter();
    may_run
        && others.any(|other| {
            let is_named = unless.is_some_and(|keys| keys.contains(&other.key));
            is_named && actions.state(&other.id) == Some(ActionState::Succeeded)
        })
}

/// Returns the actions without a use, by the newest results: not needed, or with a false
/// precondition.
pub(crate) fn void_actions(
    session: &AgentSession,
    actions: &ApprovedActions<impl ActionRecord>,
) -> BTreeSet<String> {
    let readable = &actions.known;
    let was_changed = |id: &str| {
        let mut of_id = readable
            .iter()
            .filter(|action| action.key.action_id == *id);
        of_id.any(|action| action.state.is_not_done() && action.end.is_outdated())
    };
    let is_refuted = |proposed: &ProposedAction| {
        let mut done = readable.iter();
        actions.may_run(&proposed.id) && done.any(|done| done.refutes(&proposed.content))
    };
    let void = session
        .plan
        .proposed_actions
        .iter()
        .filter(|proposed| {
            let is_void = || {
                was_changed(&proposed.id)
                    || is_replaced(session, &proposed.id, actions)
                    || is_refuted(proposed)
            };
            proposed.is_automated && is_void()
        });
    void.map(|proposed| proposed.id.clone())
        .collect()
}

/// Handles the end of a check, or the settlement of an action whose outcome was unknown. With
/// the last open outcome the session ends. Then, its actions may be approved again for as long
/// as after a failure. Returns whether its status changed.
pub(crate) fn settle_again(
    session: &mut AgentSession,
    actions: &ApprovedActions<impl ActionRecord>,
    now: Timestamp,
) -> bool {
    let status = session.status;
    let has_failed = status == AgentSessionStatus::Failed && !session.plan.approved.is_empty();
    if session.plan.awaits_outcome || has_failed {
        end_by_actions(session, actions, now);
    } else {
        note_outcomes(session, actions);
    }
    session.status != status
}
