//! Verdicts: a user settles an automated action with an unknown outcome.

use std::ops::DerefMut;

use model::{
    base::{Code, Error, Timestamp},
    people::JournalHead,
};

use crate::{
    action::{ActionState, AgentAction, Schedule, StepStatus, Verdict, VerdictOutcome},
    session::{ActionRecord, AgentSession, ApprovedActions, ProposedAction},
};

use super::{
    checks::{end_checks_of_call, plan_checks},
    queue::queued,
    settle::settle_again,
    step::settle_step,
};

/// Settles an action whose outcome is unknown. An action that was done counts from its sending,
/// as if the target system had confirmed it. An action that was not done may run again. Returns
/// true if this call settled it, and false for the same user's same verdict. 409 unless its
/// outcome is unknown.
pub(crate) fn judge_action(action: &mut AgentAction, verdict: Verdict) -> Result<bool, Error> {
    if action.state != ActionState::Unknown {
        let of = |verdict: &Verdict| (verdict.by, verdict.outcome);
        let is_the_same = action.end.verdict.as_ref().map(of) == Some(of(&verdict));
        if is_the_same && action.state.has_ended() {
            return Ok(false);
        }
        return Err(known(&format!("The action is {}.", action.state.name())));
    }
    match verdict.outcome {
        VerdictOutcome::Done => {
            settle_step(action, StepStatus::Done, verdict.at);
            action.state = ActionState::Succeeded;
            action.progress.steps_done =
                i64::try_from(action.content.steps.len()).unwrap_or(i64::MAX);
            action.end.error = None;
        }
        VerdictOutcome::NotDone => {
            if let Some(why) = under_way(action, verdict.at) {
                return Err(Error::conflict(Code::UnderWay, why));
            }
            settle_step(action, StepStatus::NotDone, verdict.at);
            action.state = ActionState::Failed;
            let note = &verdict.note;
            let error = format!("not_done: a person checked the target system. {note}");
            action.end.error = Some(error);
        }
    }
    action.schedule.lease_until = None;
    action.schedule.due_at = None;
    end_checks_of_call(action);
    plan_checks(action, verdict.at);
    action.end.verdict = Some(verdict);
    Ok(true)
}

/// Settles one of its actions whose outcome is unknown. The action and the session are written
/// together, so that a concurrent end of the session conflicts. Returns the action; none for a
/// repeat, when there is nothing to write.
///
/// The session ends with the last outcome that was open. Then, actions that are not done may
/// run again for as long as after a failure. A cancelled session stays cancelled.
///
/// A user who says that an action with money was not done counts as its proposer from then on.
///
/// 404 for an id that is not one of its actions. 409 for an id of an earlier proposal, and
/// unless the outcome is unknown. 409 for `not_done` while the call is under way.
pub(crate) fn judge<'a, A: ActionRecord + DerefMut>(
    session: &mut AgentSession,
    actions: &'a mut ApprovedActions<A>,
    action_id: &str,
    verdict: Verdict,
) -> Result<Option<&'a A>, Error> {
    let now = verdict.at;
    let by = verdict.by;
    let outcome = verdict.outcome;
    if actions
        .unreadable
        .iter()
        .any(|id| id == action_id)
    {
        let detail =
            "The record of this action cannot be read. Settle it when the session has ended.";
        return Err(Error::conflict(Code::InvalidTransition, detail));
    }
    let is_it = |action: &A| action.key.action_id == action_id;
    let Some(action) = actions
        .known
        .iter_mut()
        .find(|action| is_it(action))
    else {
        session.known_action(action_id)?;
        return Err(known("The action was not executed."));
    };
    if !judge_action(action, verdict)? {
        return Ok(None);
    }
    let moves_money = action.content.money.is_some();
    if outcome == VerdictOutcome::NotDone && moves_money {
        let proposed = session.plan.proposed_mut(action_id);
        if let Some(proposed) = proposed.filter(|proposed| !proposed.denied_by.contains(&by)) {
            proposed.denied_by.push(by);
        }
    }
    session.times.updated_at = now;
    settle_again(session, actions, now);
    Ok(actions
        .known
        .iter()
        .find(|action| is_it(action)))
}

/// Rebuilds the unreadable record of an approved action, with an unknown outcome. Its steps and
/// answers are only in the journal, which continues after `journal`.
pub fn rebuilt(
    session: &AgentSession,
    proposed: &ProposedAction,
    journal: JournalHead,
    now: Timestamp,
) -> AgentAction {
    let approvals = proposed.approvals.clone();
    let at = session.times.updated_at;
    let mut action = queued(session, proposed, approvals, None, at);
    action.state = ActionState::Unknown;
    action.schedule = Schedule::default();
    action.end.at = Some(now);
    action.journal = journal;
    action
}

/// Returns the reason to refuse `not_done`: the call is under way by the system's word, or a
/// check is due. None once no check is planned.
pub(crate) fn under_way(action: &AgentAction, now: Timestamp) -> Option<String> {
    let next = action.next_check_at()?;
    let why = if action.progress.call.under_way == Some(true) {
        "The target system says that the call is under way"
    } else if next <= now.plus(AgentAction::SOON) {
        "A check whether the call took effect is due"
    } else {
        return None;
    };
    Some(format!(
        "{why}. The agent checks again at {next}; settle the action after that."
    ))
}

fn known(why: &str) -> Error {
    let detail = "An automated action is settled only while its outcome is unknown: send done or not_done then.";
    Error::conflict(Code::OutcomeKnown, format!("{why} {detail}"))
}
