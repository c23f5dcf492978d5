//! Results of an action's steps.

use model::base::Timestamp;

use crate::action::{AgentAction, OpenCall, StepResult, StepStatus};

/// Stores the result of a step in place of an earlier one. `NotNow` after an unclear call stays
/// unclear: it says nothing about the earlier call.
pub(crate) fn keep(
    action: &mut AgentAction,
    step: i64,
    mut status: StepStatus,
    excerpt_hash: Option<String>,
    now: Timestamp,
) {
    let status_before = action
        .progress
        .known_result(step)
        .map(|result| result.status);
    if (status, status_before) == (StepStatus::NotNow, Some(StepStatus::Unclear)) {
        status = StepStatus::Unclear;
    }
    action
        .progress
        .results
        .retain(|result| result.step != step);
    action
        .progress
        .results
        .push(StepResult {
            step,
            status,
            at: Some(now),
            excerpt_hash,
        });
}

/// Stores the result of the step whose outcome was unknown. Returns its number.
pub(crate) fn settle_step(action: &mut AgentAction, status: StepStatus, now: Timestamp) -> i64 {
    let step = action
        .content
        .steps
        .get(action.progress.next_step());
    let step = step.map_or(action.progress.steps_done + 1, |step| step.order);
    if status == StepStatus::NotDone {
        action.progress.settled_at = Some(now);
    }
    let result = action.progress.known_result(step);
    let excerpt_hash = result.and_then(|result| result.excerpt_hash.clone());
    keep(action, step, status, excerpt_hash, now);
    action.progress.call = OpenCall::default();
    action.updated_at = now;
    step
}
