//! Actions that an approval queues, for the first time or again.

use model::{base::Timestamp, people::JournalHead};

use crate::{
    action::{
        ActionApproval, ActionEnd, ActionProgress, ActionRound, ActionState, AgentAction, Fence,
        Schedule,
    },
    check::Checks,
    session::{AgentSession, ProposedAction},
};

/// Creates a queued action. The session lists it as approved.
pub(crate) fn queued(
    session: &AgentSession,
    proposed: &ProposedAction,
    approvals: Vec<ActionApproval>,
    trace: Option<&str>,
    now: Timestamp,
) -> AgentAction {
    AgentAction {
        key: session.key_of(&proposed.id),
        alert_id: session.alert.alert_id,
        content: proposed.content.clone(),
        round: ActionRound {
            number: 1,
            approvals: of_round(approvals, 1),
            rules: proposed.rules.clone(),
            after: session
                .plan
                .approved_among(&proposed.after),
            unless: session
                .plan
                .approved_among(&proposed.unless),
            trace_id: trace.map(str::to_owned),
            approved_at: now,
        },
        state: ActionState::Queued,
        fence: Fence::default(),
        progress: ActionProgress::default(),
        schedule: Schedule::after_approval(now),
        checks: Checks::default(),
        end: ActionEnd::default(),
        journal: JournalHead::default(),
        updated_at: now,
    }
}

/// Queues an action that is not done again. Finished steps stay done, and the fencing token
/// keeps rising. Its calls get new idempotency keys, since some systems replay the old failure
/// for an old key.
pub(crate) fn queue_again(
    action: &mut AgentAction,
    session: &AgentSession,
    approvals: Vec<ActionApproval>,
    trace: Option<&str>,
    now: Timestamp,
) {
    let round = &mut action.round;
    round.number += 1;
    round
        .approvals
        .extend(of_round(approvals, round.number));
    let proposed = session
        .plan
        .proposed(&action.key.action_id);
    let among = |keys: fn(&ProposedAction) -> &[String]| {
        proposed.map_or_else(Vec::new, |proposed| {
            session
                .plan
                .approved_among(keys(proposed))
        })
    };
    round.after = among(|proposed| &proposed.after);
    round.unless = among(|proposed| &proposed.unless);
    round.trace_id = trace.map(str::to_owned);
    round.approved_at = now;
    // The other steps are sent again.
    let done = action
        .content
        .steps
        .iter()
        .take(action.progress.next_step());
    let done: Vec<i64> = done.map(|step| step.order).collect();
    let mut progress = std::mem::take(&mut action.progress);
    progress
        .results
        .retain(|result| done.contains(&result.step));
    action.progress = ActionProgress {
        stack: progress.stack,
        steps_done: progress.steps_done,
        already_done: progress.already_done,
        results: progress.results,
        settled_at: progress.settled_at,
        tries: progress.tries,
        ..ActionProgress::default()
    };
    action.state = ActionState::Queued;
    action.fence.stopping = false;
    action.schedule = Schedule::after_approval(now);
    action.checks = Checks::default();
    action.end = ActionEnd::default();
    action.updated_at = now;
}

fn of_round(mut approvals: Vec<ActionApproval>, round: i64) -> Vec<ActionApproval> {
    for approval in &mut approvals {
        approval.round = round;
    }
    approvals
}
