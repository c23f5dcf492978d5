//! The end of an action without an answer of its target system.

use model::base::Timestamp;

use crate::action::{ActionState, AgentAction};

use super::checks::plan_checks;

/// Ends a queued action whose session is cancelled. Returns whether it was queued.
pub(crate) fn cancel_queued(action: &mut AgentAction, now: Timestamp) -> bool {
    if action.state != ActionState::Queued {
        return false;
    }
    let (outcome, why) = cancelled(action, action.may_have_taken_effect());
    end_without_answer(action, outcome, why, now);
    true
}

/// Gives up an action that no worker will run. The outcome is unknown if a call may have taken
/// effect, else failed. Returns the outcome; none if the action has ended or is held.
pub(crate) fn give_up(action: &mut AgentAction, why: &str, now: Timestamp) -> Option<ActionState> {
    if action.state.has_ended() || action.is_held(now) {
        return None;
    }
    let outcome = given_up(action);
    end_without_answer(action, outcome, why, now);
    Some(outcome)
}

/// Ends it without an answer of the target system.
pub(crate) fn end_without_answer(
    action: &mut AgentAction,
    outcome: ActionState,
    error: &str,
    now: Timestamp,
) {
    action.end.error = Some(error.to_owned());
    action.progress.call.sending = false;
    end_action(action, outcome, now);
}

/// Sets its final state, and plans its checks.
pub(crate) fn end_action(action: &mut AgentAction, state: ActionState, now: Timestamp) {
    action.state = state;
    action.schedule.lease_until = None;
    action.schedule.due_at = None;
    action.end.at = Some(now);
    action.updated_at = now;
    plan_checks(action, now);
}

/// Returns the state in which it ends when given up.
pub(crate) fn given_up(action: &AgentAction) -> ActionState {
    if action.may_have_taken_effect() {
        ActionState::Unknown
    } else {
        ActionState::Failed
    }
}

/// Returns the state in which it ends when blocked: skipped, unless a step or call may have had
/// an effect.
pub(crate) fn kept_back(action: &AgentAction) -> ActionState {
    cancelled(action, action.may_have_taken_effect()).0
}

/// Returns the state in which it ends when its session is cancelled: skipped, unless a step or
/// call may have had an effect. `unclear` says that a call may have taken effect.
pub(crate) const fn cancelled(action: &AgentAction, unclear: bool) -> (ActionState, &'static str) {
    if unclear {
        let why = "Cancelled while its outcome was unknown; check the target system.";
        (ActionState::Unknown, why)
    } else if action.progress.steps_done > 0 {
        let why = "Cancelled after some of its steps were done.";
        (ActionState::Failed, why)
    } else {
        (ActionState::Skipped, "Cancelled before it started.")
    }
}
