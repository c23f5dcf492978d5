//! Calls and outcomes of an action, by the worker that holds it.

use model::base::Timestamp;

use crate::{
    action::{ActionState, AgentAction, CallResult, Effect, OpenCall, Outcome, StepStatus, Try},
    connection::{Excerpt, Idempotency},
};

use super::{
    ending::{cancelled, end_action},
    step::{keep, settle_step},
};

/// Records that the next call is about to be sent. The first one of a round that changes
/// something is a try.
pub(crate) fn sends(action: &mut AgentAction, target: Idempotency, now: Timestamp) {
    action.progress.call.sending = target == Idempotency::Unkeyed && action.is_about_to_change();
    action
        .progress
        .call
        .since
        .get_or_insert(now);
    let round = action.round.number;
    let last = action.progress.tries.last();
    if action.is_about_to_change() && last.is_none_or(|last| last.round != round) {
        action
            .progress
            .tries
            .push(Try { round, at: now });
    }
}

pub(crate) fn not_sent(action: &mut AgentAction) {
    action.progress.call.sending = false;
    if !action.progress.call.ambiguous {
        action.progress.call.since = None;
        not_tried(action);
    }
}

/// Takes back the try of this round, unless one of its steps changed something.
pub(crate) fn not_tried(action: &mut AgentAction) {
    if !action.has_changed() {
        let round = action.round.number;
        action
            .progress
            .tries
            .retain(|attempt| attempt.round != round);
    }
}

/// Records a refusal, with its status if there was an answer. A transfer of money stays a try,
/// unless the status says that the request never reached a bank.
pub(crate) fn refused(action: &mut AgentAction, status: Option<u16>) {
    let reached_nobody =
        |status| matches!(status, 401 | 403..=405 | 407 | 410 | 411 | 413..=415 | 429 | 431);
    if action.content.transfer().is_none() || status.is_none_or(reached_nobody) {
        not_tried(action);
    }
}

/// Records that a read found the effect of the open call. Its step is done.
pub(crate) fn found_done(action: &mut AgentAction, now: Timestamp) {
    let step = settle_step(action, StepStatus::Done, now);
    action.progress.steps_done += 1;
    let reason = "A read found that the call took effect.";
    let result = CallResult::unsent(Effect::Done, reason, now);
    action
        .progress
        .unwritten
        .push((step, result));
}

/// Records the result of a step's call. Returns the state in which it ends the action; none
/// while it goes on.
pub(crate) fn received(
    action: &mut AgentAction,
    step: i64,
    result: CallResult,
    target: Idempotency,
) -> Option<ActionState> {
    let response = result.response.as_ref();
    let hash = response.map(Excerpt::hash);
    keep(action, step, result.effect.into(), hash, result.at);
    let ends = answered(action, result.effect, target);
    if result.effect == Effect::Refused {
        refused(action, response.map(|response| response.status));
    }
    action
        .progress
        .unwritten
        .push((step, result));
    ends
}

/// Records the effect of a call. Returns the state in which it ends the action. None if the
/// step is done, or the call may be sent again with the same key.
pub(crate) fn answered(
    action: &mut AgentAction,
    effect: Effect,
    target: Idempotency,
) -> Option<ActionState> {
    match effect {
        Effect::Done | Effect::DoneBefore => {
            let is_change = action.is_about_to_change();
            action.progress.already_done += i64::from(is_change && effect == Effect::DoneBefore);
            action.progress.steps_done += 1;
            action.progress.call = OpenCall::default();
            None
        }
        Effect::Refused => {
            action.progress.call = OpenCall::default();
            Some(ActionState::Failed)
        }
        Effect::NotNow => {
            not_sent(action);
            None
        }
        Effect::Unclear if target == Idempotency::Keyed => {
            action.progress.call.ambiguous = true;
            None
        }
        Effect::Undecided | Effect::UnderWay => {
            action.progress.call.ambiguous = true;
            if effect == Effect::UnderWay {
                action.progress.call.under_way = Some(true);
            }
            Some(ActionState::Unknown)
        }
        // The call stays recorded as under way.
        Effect::Unclear => Some(ActionState::Unknown),
    }
}

/// Returns the outcome when its holder learns between two calls of the session's cancellation.
/// Only its calls count, not the claim, since the holder is alive.
pub(crate) fn stopped(action: &AgentAction, response: Option<Excerpt>) -> Outcome {
    let (state, why) = cancelled(action, action.progress.may_be_sent());
    Outcome::new(state, response, Some(why.to_owned()))
}

/// Returns the outcome when its holder learns between two calls that its alert is resolved.
pub(crate) fn stopped_by_resolution(action: &AgentAction, response: Option<Excerpt>) -> Outcome {
    Outcome {
        error: Some(AgentAction::ALERT_RESOLVED.to_owned()),
        ..stopped(action, response)
    }
}

/// Returns the outcome when its holder gives up. `error` is the result of the last attempt.
pub(crate) fn exhausted(action: &AgentAction, response: Option<Excerpt>, error: &str) -> Outcome {
    let error = format!("{error} Given up.");
    if action.progress.may_be_sent() {
        return Outcome::unknown(response, &error);
    }
    let done = match action.progress.steps_done {
        0 => "It was not done.",
        _ => "Only the steps before it are done.",
    };
    Outcome::failed(response, format!("{error} {done}"))
}

/// Returns the retry time after an attempt without a result: after a minute, doubled each time,
/// up to half an hour. A longer wait that the target system asked for applies instead. None if
/// that is after the deadline, and it is given up.
pub(crate) fn next_attempt(
    action: &AgentAction,
    retry_after: Option<i64>,
    now: Timestamp,
) -> Option<Timestamp> {
    let doubled = (action.progress.attempts - 1).clamp(0, 5);
    let pause = (AgentAction::FIRST_PAUSE << doubled).min(AgentAction::LONGEST_PAUSE);
    let next = now.plus(pause.max(retry_after.unwrap_or(0)));
    (next < action.round.deadline()).then_some(next)
}

/// Releases it until `next`, when the sweeper sends a message.
pub(crate) fn release(action: &mut AgentAction, next: Timestamp, now: Timestamp) {
    action.state = ActionState::Queued;
    action.schedule.lease_until = None;
    action.schedule.not_before = Some(next);
    action.schedule.due_at = Some(next);
    action.updated_at = now;
}

pub(crate) fn record(action: &mut AgentAction, outcome: &Outcome, now: Timestamp) {
    action.end.excerpt_hash = outcome
        .response
        .as_ref()
        .map(Excerpt::hash);
    action
        .end
        .error
        .clone_from(&outcome.error);
    end_action(action, outcome.state, now);
}
