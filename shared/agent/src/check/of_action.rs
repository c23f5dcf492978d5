//! Checks of a target system: preconditions before the first call that changes something. After an
//! action has ended, verification of its effect, and reconciliation of a call whose answer did not
//! tell.

use model::base::{Timestamp, span};
use serde_json::Value;

use crate::{
    action::{ActionContent, ActionState, AgentAction, Mark, OpenCall, Outcome, StepStatus},
    check::{
        Check, CheckPurpose, CheckRecord, CheckResult, CheckStatus, FactCondition, Facts,
        Judgement, Observation, Purpose, ReadError, Reconciliation, TargetRead, Verification,
        facts::reads_with, quoted, read_of, reads_of, record::Timetable,
    },
    connection::Connection,
    journal::JournalEvent,
};

#[derive(Clone, Debug, PartialEq)]
pub enum Precondition {
    /// The call may be sent.
    Holds,
    /// Nothing is sent, and the action ends.
    Changed(Outcome),
    /// Nothing is sent at this time, for this reason.
    NotKnown(String),
}

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

impl AgentAction {
    /// Milliseconds after its end until the last reconciliation check, unless the system says that
    /// the call is under way.
    pub const CALL_CHECKED_WITHIN: i64 = 12 * span::HOUR;
    /// Milliseconds of checks of an unreadable system, beyond the longest time of an effect.
    pub const UNREADABLE: i64 = 24 * span::HOUR;

    /// Plans its checks after the end: verification at once, or reconciliation after a while.
    pub(crate) fn plan_checks(&mut self, now: Timestamp) {
        self.schedule.resends = 0;
        match self.state {
            ActionState::Succeeded if self.content.verify.is_some() => {
                self.checks.effect = Some(CheckRecord::first(Some(now)));
                self.schedule.due_at = Some(now);
            }
            ActionState::Unknown if self.reconcile().is_some() => {
                let within = Self::CALL_CHECKED_WITHIN;
                let next = Timetable::of(Timetable::OF_CALL, now, within).next(0, now);
                self.checks.call = Some(CheckRecord::first(next));
                self.schedule.due_at = next;
            }
            _ => {}
        }
    }

    /// Ends the checks of its call without a result, since a person settled the outcome.
    pub(crate) fn end_checks_of_call(&mut self) {
        let record = self.checks.call.as_mut();
        if let Some(record) = record.filter(|record| record.is_pending()) {
            record.status = CheckStatus::Unknown;
            record.next = None;
        }
    }

    fn reconcile(&self) -> Option<&Reconciliation> {
        self.content
            .steps
            .get(self.next_step())?
            .reconcile
            .as_ref()
    }

    /// Returns the record of its pending checks, with their purpose.
    fn pending_checks(&self) -> Option<(CheckPurpose, &CheckRecord)> {
        let purpose = match self.state {
            ActionState::Succeeded => CheckPurpose::Effect,
            ActionState::Unknown => CheckPurpose::Call,
            _ => return None,
        };
        let mut pending = self
            .checks
            .begun()
            .filter(|(_, record)| record.is_pending());
        pending.find(|(of, _)| *of == purpose)
    }

    /// Returns its next check; none if no check is planned.
    pub fn check(&self) -> Option<Check<'_>> {
        let end = self.ended_at();
        let (purpose, timetable) = match self.pending_checks()?.0 {
            CheckPurpose::Effect => {
                let verify = self.content.verify.as_ref()?;
                let timetable = Timetable::of(Timetable::OF_EFFECT, end, verify.within);
                (Purpose::Effect(verify), timetable)
            }
            CheckPurpose::Call => {
                let reconcile = self.reconcile()?;
                let within = reconcile
                    .within
                    .unwrap_or(Self::CALL_CHECKED_WITHIN);
                let until = match self.progress.call.under_way {
                    Some(true) => within.max(Self::CALL_CHECKED_WITHIN),
                    _ => Self::CALL_CHECKED_WITHIN,
                };
                let timetable = Timetable::of(Timetable::OF_CALL, end, until);
                (Purpose::Call(reconcile), timetable)
            }
        };
        Some(Check {
            purpose,
            reads: &self.content.reads,
            timetable,
        })
    }

    pub fn awaits_check(&self) -> bool {
        self.check().is_some()
    }

    pub fn next_check_at(&self) -> Option<Timestamp> {
        self.check()?;
        self.pending_checks()?.1.next
    }

    /// Records that the sweeper requested the due check, and schedules its next request: after two
    /// minutes, doubled each time, up to an hour.
    pub fn check_requested(&mut self, now: Timestamp) {
        self.schedule.due_at = Some(now.plus(Self::pause_after(self.schedule.resends)));
        self.schedule.resends += 1;
    }

    /// Defers the due check, since nothing may be sent at this time.
    pub fn defer_check(&mut self, later: Timestamp) {
        self.schedule.due_at = Some(later);
        self.schedule.resends = 0;
    }

    /// Applies a check's observation. Reads may lag behind for `settles_within` milliseconds.
    /// Returns the journal event: a check without a result, or the result. None if no check was
    /// awaited.
    pub fn apply_check(
        &mut self,
        observation: &Observation,
        settles_within: i64,
        now: Timestamp,
    ) -> Option<(JournalEvent, Value)> {
        self.schedule.resends = 0;
        match self.check()?.purpose {
            Purpose::Effect(verify) => {
                let judgement = observation.judge(verify.conditions());
                let is_refuted = verify.is_refuted_by(observation);
                let until = self.ended_at().plus(verify.within);
                self.judge_effect(observation, (judgement, is_refuted), until, now)
            }
            Purpose::Call(reconcile) => {
                let under_way = self.progress.call.under_way;
                let is_marked = self.is_marked(reconcile, observation);
                let (judgements, under_way) = reconcile.judge(observation, under_way, is_marked);
                self.progress.call.under_way = under_way;
                let is_proof = is_marked == Some(true);
                self.note_absence(&judgements, now);
                let absent = self.progress.call.absent_since;
                let proven_at = absent.filter(|_| !is_proof);
                let proven_at = proven_at.map(|since| since.plus(settles_within));
                self.judge_call(observation, judgements, proven_at, now)
            }
            Purpose::AlertEnd(_) => None,
        }
    }

    fn judge_effect(
        &mut self,
        observation: &Observation,
        (judgement, is_refuted): (Judgement, bool),
        until: Timestamp,
        now: Timestamp,
    ) -> Option<(JournalEvent, Value)> {
        let patience = match &judgement {
            Judgement::NotKnown(error) if !error.is_for_good => Self::UNREADABLE,
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
        let timetable = self.check()?.timetable;
        let record = self.checks.effect.as_mut()?;
        let result = (status, judgement.problem());
        let noted = record.add(CheckPurpose::Effect, observation, result, timetable, now);
        self.schedule.due_at = record.next;
        Some(noted)
    }

    fn judge_call(
        &mut self,
        observation: &Observation,
        (done, not_done): (Judgement, Option<Judgement>),
        proven_at: Option<Timestamp>,
        now: Timestamp,
    ) -> Option<(JournalEvent, Value)> {
        let timetable = self.check()?.timetable.with(proven_at);
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
            (Judgement::Fails(reason), Some(Judgement::Fails(_)) | None) => {
                (otherwise, Some(reason))
            }
        };
        let status = result.0;
        let record = self.checks.call.as_mut()?;
        let noted = record.add(CheckPurpose::Call, observation, result, timetable, now);
        self.schedule.due_at = record.next;
        match status {
            CheckStatus::Done => self.took_effect(now),
            CheckStatus::NotDone => {
                let step = self.is_known(StepStatus::NotDone, now);
                self.state = ActionState::Failed;
                let when = self
                    .barred_until()
                    .filter(|at| now < *at);
                let when = when.map_or_else(String::new, |at| format!(" from {at} on"));
                self.end.error = Some(format!(
                    "A later check found that step {step} did not take effect. The action may be executed again{when}."
                ));
            }
            CheckStatus::Pending | CheckStatus::Unknown => {}
        }
        Some(noted)
    }

    /// Notes since when checks in a row have found no effect. A check that read nothing does not
    /// end the row.
    fn note_absence(&mut self, (done, not_done): &(Judgement, Option<Judgement>), now: Timestamp) {
        let is_absent = *not_done == Some(Judgement::Holds) && *done != Judgement::Holds;
        let is_blind = matches!(done, Judgement::NotKnown(_))
            || matches!(not_done, Some(Judgement::NotKnown(_)));
        let since = &mut self.progress.call.absent_since;
        *since = match *since {
            since if is_absent => since.or(Some(now)),
            since if is_blind => since,
            _ => None,
        };
    }

    /// Returns whether the mark of the open call differs from before the call. None without a mark,
    /// and if one of both values is not known.
    fn is_marked(&self, reconcile: &Reconciliation, observation: &Observation) -> Option<bool> {
        let step = self
            .content
            .steps
            .get(self.next_step())?
            .order;
        let before = self.progress.mark.as_ref();
        let before = before.filter(|mark| mark.step == step)?;
        let now = observation.value(reconcile.mark()?)?;
        Some(before.value != now)
    }

    pub(crate) fn ended_at(&self) -> Timestamp {
        self.end.at.unwrap_or(self.updated_at)
    }

    /// Marks the unclear step as done.
    fn took_effect(&mut self, now: Timestamp) {
        let step = self.is_known(StepStatus::Done, now);
        self.progress.steps_done += 1;
        if self.next_step() < self.content.steps.len() {
            self.state = ActionState::Failed;
            self.end.error = Some(format!(
                "A later check found that step {step} took effect. The steps after it were not sent. \
                 If the action is executed again, it continues with them."
            ));
        } else {
            self.state = ActionState::Succeeded;
            self.end.error = None;
            self.plan_checks(now);
        }
    }

    /// Stores the result of the step whose outcome was unknown. Returns its number.
    pub(crate) fn is_known(&mut self, status: StepStatus, now: Timestamp) -> i64 {
        let step = self.content.steps.get(self.next_step());
        let step = step.map_or(self.progress.steps_done + 1, |step| step.order);
        if status == StepStatus::NotDone {
            self.progress.settled_at = Some(now);
        }
        let result = self.known_result(step);
        let excerpt_hash = result.and_then(|result| result.excerpt_hash.clone());
        self.keep(step, status, excerpt_hash, now);
        self.progress.call = OpenCall::default();
        self.updated_at = now;
        step
    }

    /// True if it ended since its record or its connection is not as it was proposed.
    pub fn is_outdated(&self) -> bool {
        let error = self
            .end
            .error
            .as_deref()
            .unwrap_or_default();
        let reasons = [
            "precondition_changed: ",
            "content_changed: ",
            "no_connection: ",
            "account_changed: ",
        ];
        let mut reasons = reasons.iter();
        reasons.any(|reason| error.starts_with(reason))
    }

    /// True if its verification found that a precondition of another action of the proposal does
    /// not hold.
    pub fn refutes(&self, other: &ActionContent) -> bool {
        let record = self.checks.effect.as_ref();
        let verified_record =
            record.filter(|_| self.is_verified() && self.state == ActionState::Succeeded);
        let Some(observed) = verified_record.and_then(|record| record.found.as_ref()) else {
            return false;
        };
        let is_shared = |fact: &str| {
            let mut reads = other
                .reads
                .iter()
                .filter(|read| read.name == read_of(fact));
            reads.any(|read| self.content.reads.contains(read))
        };
        let observed = observed.0.0.clone().into_iter();
        let facts: Facts = observed
            .filter(|(fact, _)| is_shared(fact))
            .collect();
        let mut required = other.require.iter();
        required.any(|condition| condition.holds(&facts) == Some(false))
    }

    /// True if its effect was verified, or it has no verification.
    pub fn is_verified(&self) -> bool {
        let effect = self.checks.effect.as_ref();
        let is_found = |record: &CheckRecord| record.status == CheckStatus::Done;
        self.content.verify.is_none() || effect.is_some_and(is_found)
    }

    /// Returns whether it helped its records, by its verification. None for a message, for an
    /// effect that was already there, and where the system could not be read.
    pub fn helped(&self) -> Option<bool> {
        let effect = self.checks.effect.as_ref();
        let effect = effect.filter(|_| self.content.action_type.is_fix())?;
        match effect.status {
            CheckStatus::Done => self.is_effective().then_some(true),
            CheckStatus::NotDone => Some(false),
            CheckStatus::Pending | CheckStatus::Unknown => None,
        }
    }

    /// True if a claim is followed by a precondition check before the next call that changes
    /// something. False if that call may have been sent, or if an earlier step changed something:
    /// the check would find the action's own effect.
    pub(crate) fn checks_first(&self) -> bool {
        let has_conditions = !self.content.require.is_empty() || self.account().is_some();
        has_conditions && !self.progress.call.ambiguous && !self.has_changed()
    }

    /// Returns the reads of its preconditions, and of the mark of its next call.
    pub fn required_reads(&self) -> Vec<TargetRead> {
        let mark = self
            .reconcile()
            .and_then(Reconciliation::mark);
        reads_with(&self.content.reads, &self.content.require, mark)
    }

    /// Returns the number of calls and reads that it will probably send through its connection, at
    /// least 1.
    pub fn calls_ahead(&self) -> i64 {
        let mut reads = self.required_reads();
        reads.retain(|read| *read.connection == *self.content.target_system);
        let steps = self
            .content
            .steps
            .len()
            .saturating_sub(self.next_step());
        let calls = reads.len() + steps + usize::from(self.account().is_some());
        i64::try_from(calls.max(1)).unwrap_or(1)
    }

    /// Returns the reads that show whether the next call took effect. Empty if no read shows it.
    pub fn doubt_reads(&self) -> Vec<TargetRead> {
        reads_of(&self.content.reads, self.shows_done())
    }

    /// True if an observation shows that the next call took effect.
    pub fn was_done(&self, observation: &Observation) -> bool {
        let shown = self.shows_done();
        !shown.is_empty() && observation.judge(shown) == Judgement::Holds
    }

    /// Returns the conditions that show the effect of the next call: those of its reconciliation.
    /// For a call of a time that the table lost, else those of the verification.
    fn shows_done(&self) -> Vec<&FactCondition> {
        if let Some(reconcile) = self.reconcile() {
            return vec![&reconcile.done];
        }
        let verify = self.content.verify.as_ref();
        let verify = verify.filter(|_| self.lost_since().is_some());
        let conditions = verify
            .into_iter()
            .flat_map(Verification::conditions);
        conditions.collect()
    }

    /// Returns the next step, from 0.
    pub(crate) fn next_step(&self) -> usize {
        usize::try_from(self.progress.steps_done).unwrap_or(0)
    }

    /// Judges its preconditions. The holder has sent nothing that changes anything.
    pub fn permits(&mut self, observation: &Observation, now: Timestamp) -> Precondition {
        self.not_sent();
        let judgement = observation.judge(&self.content.require);
        self.progress.checked = Some(CheckResult {
            at: now,
            found: observation.facts.clone(),
            problem: judgement.clone().problem(),
        });
        match judgement {
            Judgement::Holds => {
                self.progress.call.unchecked = false;
                self.progress.mark = self.mark(observation);
                Precondition::Holds
            }
            Judgement::Fails(reason) => self.kept_from(&format!("precondition_changed: {reason}")),
            Judgement::NotKnown(error) if error.is_for_good => {
                self.kept_from(&format!("precondition_unknown: {}", error.problem))
            }
            Judgement::NotKnown(error) => Precondition::NotKnown(error.problem),
        }
    }

    /// Returns the mark of the next call's record, as observed before the call.
    fn mark(&self, observation: &Observation) -> Option<Mark> {
        let step = self
            .content
            .steps
            .get(self.next_step())?;
        let value = observation.value(step.reconcile.as_ref()?.mark()?)?;
        let step = step.order;
        Some(Mark { step, value })
    }

    /// Returns the approved account of its connection; none if it is not checked.
    pub fn account(&self) -> Option<&str> {
        self.content
            .connection
            .as_ref()?
            .account
            .as_deref()
    }

    /// True if a connection of its name reaches another account than the approved one. Its answers
    /// tell nothing about this action.
    pub fn is_elsewhere(&self, connection: &Connection) -> bool {
        let is_own = *connection.name == *self.content.target_system;
        let accounts = self
            .account()
            .zip(connection.account.as_deref());
        is_own && accounts.is_some_and(|(approved, now)| approved != now)
    }

    /// Judges the account that its connection reaches now. The holder has sent nothing since its
    /// claim.
    pub(crate) fn permits_account(&mut self, account: Result<String, ReadError>) -> Precondition {
        self.not_sent();
        let approved = self.account();
        match account {
            Ok(account) if approved == Some(&*account) => Precondition::Holds,
            Ok(account) => {
                let approved = approved.map_or_else(|| "none".to_owned(), quoted);
                let account = quoted(&account);
                self.kept_from(&format!(
                    "account_changed: the account of the connection is {account}; {approved} was approved."
                ))
            }
            Err(error) if error.is_for_good => {
                self.kept_from(&format!("precondition_unknown: {}", error.problem))
            }
            Err(error) => Precondition::NotKnown(error.problem),
        }
    }

    /// Ends an action that is blocked before its next call.
    fn kept_from(&self, why: &str) -> Precondition {
        let more = match self.progress.steps_done {
            0 => "",
            _ => "more ",
        };
        Precondition::Changed(Outcome {
            error: Some(format!("{why} Nothing {more}was sent.")),
            ..self.stopped(None)
        })
    }
}
