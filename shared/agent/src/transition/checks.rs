//! Checks after the end of an action: of its effect, or of a call without a clear answer.

use model::base::Timestamp;
use serde_json::Value;

use crate::{
    action::{ActionState, AgentAction, StepStatus},
    check::{
        CheckPurpose, CheckRecord, CheckStatus, FactCondition, Judgement, Observation, Purpose,
        Reconciliation, Verification, record::Timetable,
    },
    journal::JournalEvent,
};

use super::step::settle_step;

impl Reconciliation {
    /// Judges an observation: the call took effect, and it took none. Returns the system's last
    /// word on whether the call is under way, too, given the one before.
    fn judge(
        &self,
        observation: &Observation,
        under_way: Option<bool>,
        is_marked: Option<bool>,
    ) -> ((Judgement, Option<Judgement>), Option<bool>) {
        let judge = |condition: &Option<FactCondition>| {
            condition
                .as_ref()
                .map(|condition| observation.judge([condition]))
        };
        // A call that was under way can fail. Before that, the same state says nothing. The mark
        // tells more.
        let refused = judge(&self.refused).filter(|judgement| *judgement == Judgement::Holds);
        let refused = refused.filter(|_| is_marked.unwrap_or(under_way.is_some()));
        let not_done = refused.or_else(|| judge(&self.not_done));
        let under_way = match judge(&self.pending) {
            Some(Judgement::Holds) => Some(true),
            Some(Judgement::Fails(_)) => under_way.map(|_| false),
            Some(Judgement::NotKnown(_)) | None => under_way,
        };
        ((observation.judge([&self.done]), not_done), under_way)
    }
}

impl Verification {
    /// True if an observation shows another effect than the approved one. No later check can tell
    /// otherwise.
    fn is_refuted_by(&self, observation: &Observation) -> bool {
        let mut wrong = self.fails_if.iter();
        let is_wrong = wrong.any(|condition| observation.judge([condition]) == Judgement::Holds);
        is_wrong
            || self
                .other_amount(&observation.facts)
                .is_some()
    }
}

/// Plans its checks after the end: verification at once, or reconciliation after a while.
pub(crate) fn plan_checks(action: &mut AgentAction, now: Timestamp) {
    action.schedule.resends = 0;
    match action.state {
        ActionState::Succeeded if action.content.verify.is_some() => {
            action.checks.effect = Some(CheckRecord::first(Some(now)));
            action.schedule.due_at = Some(now);
        }
        ActionState::Unknown if action.reconcile().is_some() => {
            let within = AgentAction::CALL_CHECKED_WITHIN;
            let next = Timetable::of(Timetable::OF_CALL, now, within).next(0, now);
            action.checks.call = Some(CheckRecord::first(next));
            action.schedule.due_at = next;
        }
        _ => {}
    }
}

/// Ends the checks of its call without a result, since a person settled the outcome.
pub(crate) fn end_checks_of_call(action: &mut AgentAction) {
    let record = action.checks.call.as_mut();
    if let Some(record) = record.filter(|record| record.is_pending()) {
        record.status = CheckStatus::Unknown;
        record.next = None;
    }
}

/// Applies a check's observation. Reads may lag behind for `settles_within` milliseconds.
/// Returns the journal event: a check without a result, or the result. None if no check was
/// awaited.
pub(crate) fn apply_check(
    action: &mut AgentAction,
    observation: &Observation,
    settles_within: i64,
    now: Timestamp,
) -> Option<(JournalEvent, Value)> {
    action.schedule.resends = 0;
    match action.check()?.purpose {
        Purpose::Effect(verify) => {
            let judgement = observation.judge(verify.conditions());
            let is_refuted = verify.is_refuted_by(observation);
            let until = action.ended_at().plus(verify.within);
            judge_effect(action, observation, (judgement, is_refuted), until, now)
        }
        Purpose::Call(reconcile) => {
            let under_way = action.progress.call.under_way;
            let is_marked = is_marked(action, reconcile, observation);
            let (judgements, under_way) = reconcile.judge(observation, under_way, is_marked);
            action.progress.call.under_way = under_way;
            let is_proof = is_marked == Some(true);
            note_absence(action, &judgements, now);
            let absent = action.progress.call.absent_since;
            let proven_at = absent.filter(|_| !is_proof);
            let proven_at = proven_at.map(|since| since.plus(settles_within));
            judge_call(action, observation, judgements, proven_at, now)
        }
        Purpose::AlertEnd(_) => None,
    }
}

pub(crate) fn judge_effect(
    action: &mut AgentAction,
    observation: &Observation,
    (judgement, is_refuted): (Judgement, bool),
    until: Timestamp,
    now: Timestamp,
) -> Option<(JournalEvent, Value)> {
    let patience = match &judgement {
        Judgement::NotKnown(error) if !error.is_for_good => AgentAction::UNREADABLE,
        _ => 0,
    };
    let is_over = until.plus(patience) <= now;
    let status = match judgement {
        _ if is_refuted => CheckStatus::NotDone,
        Judgement::Holds => CheckStatus::Done,
        Judgement::Fails(_) if is_over => CheckStatus::NotDone,
        Judgement::NotKnown(_) if is_over => CheckStatus::Unknown,
        _ => CheckStatus::Pending,
    };
    let timetable = action.check()?.timetable;
    let record = action.checks.effect.as_mut()?;
    let result = (status, judgement.problem());
    let detail = record.add(CheckPurpose::Effect, observation, result, timetable, now);
    action.schedule.due_at = record.next;
    Some((event(CheckPurpose::Effect, status), detail))
}

pub(crate) fn judge_call(
    action: &mut AgentAction,
    observation: &Observation,
    (done, not_done): (Judgement, Option<Judgement>),
    proven_at: Option<Timestamp>,
    now: Timestamp,
) -> Option<(JournalEvent, Value)> {
    let timetable = action
        .check()?
        .timetable
        .with(proven_at);
    let over = timetable.is_over(now);
    let otherwise = over.then_some(CheckStatus::Unknown);
    let otherwise = otherwise.unwrap_or(CheckStatus::Pending);
    let result = match (done, not_done) {
        (Judgement::Holds, Some(Judgement::Holds)) => {
            let both = "The facts say both that it took effect and that it did not.";
            (otherwise, Some(both.to_owned()))
        }
        (Judgement::Holds, _) => (CheckStatus::Done, None),
        (_, Some(Judgement::Holds)) if proven_at.is_some_and(|at| now < at) => {
            let early = "The call has not taken effect yet. The target system may still process it, and its \
                         reads may lag behind.";
            (otherwise, Some(early.to_owned()))
        }
        (_, Some(Judgement::Holds)) => (CheckStatus::NotDone, None),
        (Judgement::NotKnown(error), _) | (_, Some(Judgement::NotKnown(error))) => {
            (otherwise, Some(error.problem))
        }
        (Judgement::Fails(reason), Some(Judgement::Fails(_)) | None) => (otherwise, Some(reason)),
    };
    let status = result.0;
    let record = action.checks.call.as_mut()?;
    let detail = record.add(CheckPurpose::Call, observation, result, timetable, now);
    action.schedule.due_at = record.next;
    match status {
        CheckStatus::Done => took_effect(action, now),
        CheckStatus::NotDone => {
            let step = settle_step(action, StepStatus::NotDone, now);
            action.state = ActionState::Failed;
            let when = action
                .barred_until()
                .filter(|at| now < *at);
            let when = when.map_or_else(String::new, |at| format!(" from {at} on"));
            action.end.error = Some(format!(
                "A later check found that step {step} did not take effect. The action may be executed again{when}."
            ));
        }
        CheckStatus::Pending | CheckStatus::Unknown => {}
    }
    Some((event(CheckPurpose::Call, status), detail))
}

/// Notes since when checks in a row have found no effect. A check that read nothing does not
/// end the row.
pub(crate) fn note_absence(
    action: &mut AgentAction,
    (done, not_done): &(Judgement, Option<Judgement>),
    now: Timestamp,
) {
    let is_absent = *not_done == Some(Judgement::Holds) && *done != Judgement::Holds;
    let is_blind =
        matches!(done, Judgement::NotKnown(_)) || matches!(not_done, Some(Judgement::NotKnown(_)));
    let since = &mut action.progress.call.absent_since;
    *since = match *since {
        since if is_absent => since.or(Some(now)),
        since if is_blind => since,
        _ => None,
    };
}

/// Returns whether the mark of the open call differs from before the call. None without a mark,
/// and if one of both values is not known.
pub(crate) fn is_marked(
    action: &AgentAction,
    reconcile: &Reconciliation,
    observation: &Observation,
) -> Option<bool> {
    let step = action
        .content
        .steps
        .get(action.progress.next_step())?
        .order;
    let before = action.progress.mark.as_ref();
    let before = before.filter(|mark| mark.step == step)?;
    let now = observation.value(reconcile.mark()?)?;
    Some(before.value != now)
}

/// Marks the unclear step as done.
pub(crate) fn took_effect(action: &mut AgentAction, now: Timestamp) {
    let step = settle_step(action, StepStatus::Done, now);
    action.progress.steps_done += 1;
    if action.progress.next_step() < action.content.steps.len() {
        action.state = ActionState::Failed;
        action.end.error = Some(format!(
            "A later check found that step {step} took effect. The steps after it were not sent. \
             If the action is executed again, it continues with them."
        ));
    } else {
        action.state = ActionState::Succeeded;
        action.end.error = None;
        plan_checks(action, now);
    }
}

/// Returns the journal event of a check: one without a result, or the result.
const fn event(purpose: CheckPurpose, status: CheckStatus) -> JournalEvent {
    match (purpose, status) {
        (_, CheckStatus::Pending) => JournalEvent::Checked,
        (CheckPurpose::Call, _) => JournalEvent::Reconciled,
        (CheckPurpose::Effect, _) => JournalEvent::Verified,
    }
}
