//! Checks of a target system: preconditions before the first call that changes something. After an
//! action has ended, verification of its effect, and reconciliation of a call whose answer did not
//! tell.

use serde_json::Value;

use super::{
    ActionContent, ActionState, AgentAction, FactCondition, Facts, JournalEvent, Judgement, Looked,
    Looks, OpenCall, Outcome, Reconciliation, ReconciliationStatus, Sight, Silence, StepStatus,
    TargetRead, VerificationStatus, read_of, reads_of,
};
use model::{Timestamp, span};

/// The result of a precondition check.
#[derive(Clone, Debug, PartialEq)]
pub enum Precondition {
    /// The call may be sent.
    Holds,
    /// Nothing is sent, and the action ends.
    Changed(Outcome),
    /// Nothing is sent at this time, for this reason.
    NotKnown(String),
}

/// The subject of a check after an action's end.
#[derive(Clone, Copy, Debug)]
enum Awaited<'a> {
    Effect(&'a super::Verification),
    Call(&'a Reconciliation),
}

/// Checks after its end.
impl AgentAction {
    /// Times of the reconciliation checks, in milliseconds after its end.
    pub const RECONCILED: [i64; 6] = [
        15 * span::SECOND,
        span::MINUTE,
        5 * span::MINUTE,
        30 * span::MINUTE,
        3 * span::HOUR,
        12 * span::HOUR,
    ];
    /// Milliseconds after its end until the last reconciliation check, unless the system says that the
    /// call is under way.
    pub const RECONCILED_WITHIN: i64 = 12 * span::HOUR;
    /// Milliseconds after its end before a check may conclude that a call took no effect. Before
    /// that, the target system may still be at work on it.
    pub const AT_WORK: i64 = span::MINUTE;
    /// Times of the verification checks, in milliseconds after its end. They apply within the time
    /// that the effect may take; one more check follows at the end of that time.
    pub const VERIFIED: &'static [i64] = &[
        0,
        15 * span::SECOND,
        span::MINUTE,
        5 * span::MINUTE,
        15 * span::MINUTE,
        30 * span::MINUTE,
        span::HOUR,
        3 * span::HOUR,
        6 * span::HOUR,
        12 * span::HOUR,
    ];
    /// Milliseconds for which an unreadable system is checked beyond the time that an effect may
    /// take.
    pub const UNREADABLE: i64 = 24 * span::HOUR;
    /// The shortest time between two checks, in milliseconds.
    const BETWEEN_LOOKS: i64 = 15 * span::SECOND;

    /// Plans its checks after the end: verification at once, or reconciliation after a while.
    pub(super) fn plan_looks(&mut self, now: Timestamp) {
        self.schedule.resends = 0;
        match self.state {
            ActionState::Succeeded if self.content.verify.is_some() => {
                self.checks.verification = Some(Looks::first(VerificationStatus::Pending, now));
                self.schedule.due_at = Some(now);
            }
            ActionState::Unknown if self.reconcile().is_some() => {
                let next = now.plus(Self::RECONCILED[0]);
                self.checks.reconciliation =
                    Some(Looks::first(ReconciliationStatus::Pending, next));
                self.schedule.due_at = Some(next);
            }
            _ => {}
        }
    }

    /// Ends the reconciliation without a result, since a person settled the outcome.
    pub(super) fn no_look_told(&mut self) {
        let looks = self.checks.reconciliation.as_mut();
        if let Some(looks) = looks.filter(|one| one.status == ReconciliationStatus::Pending) {
            looks.status = ReconciliationStatus::Unknown;
            looks.next = None;
        }
    }

    /// Returns the reconciliation of the next step.
    fn reconcile(&self) -> Option<&Reconciliation> {
        self.content.steps.get(self.next_step())?.reconcile.as_ref()
    }

    fn awaited(&self) -> Option<Awaited<'_>> {
        if self.state == ActionState::Succeeded {
            let looks = self.checks.verification.as_ref()?;
            let verify = self.content.verify.as_ref().map(Awaited::Effect);
            return verify.filter(|_| looks.status == VerificationStatus::Pending);
        }
        let looks = self.checks.reconciliation.as_ref()?;
        let is_awaited = looks.status == ReconciliationStatus::Pending;
        let reconcile = self.reconcile().map(Awaited::Call);
        reconcile.filter(|_| is_awaited && self.state == ActionState::Unknown)
    }

    /// True if it has ended and awaits a check.
    #[must_use]
    pub fn awaits_look(&self) -> bool {
        self.awaited().is_some()
    }

    /// Returns when the awaited check is due.
    #[must_use]
    pub fn next_look_at(&self) -> Option<Timestamp> {
        match self.awaited()? {
            Awaited::Effect(_) => self.checks.verification.as_ref()?.next,
            Awaited::Call(_) => self.checks.reconciliation.as_ref()?.next,
        }
    }

    /// Returns the reads of the awaited check.
    #[must_use]
    pub fn awaited_reads(&self) -> Vec<TargetRead> {
        match self.awaited() {
            Some(Awaited::Effect(verify)) => reads_of(&self.content.reads, verify.conditions()),
            Some(Awaited::Call(reconcile)) => reads_of(&self.content.reads, reconcile.conditions()),
            None => Vec::new(),
        }
    }

    /// Records that the sweeper requested the due check, and schedules its next request: after two
    /// minutes, doubled each time, up to an hour.
    pub fn look_asked(&mut self, now: Timestamp) {
        let pause = (Self::DELIVERY << self.schedule.resends.clamp(0, 5)).min(span::HOUR);
        self.schedule.due_at = Some(now.plus(pause));
        self.schedule.resends += 1;
    }

    /// Defers the due check, since nothing may be sent at this time.
    pub fn look_later(&mut self, later: Timestamp) {
        self.schedule.due_at = Some(later);
        self.schedule.resends = 0;
    }

    /// Applies a check's observation. Returns the journal event: a check without a result, or the
    /// result. None if no check was awaited.
    pub fn look(&mut self, sight: &Sight, now: Timestamp) -> Option<(JournalEvent, Value)> {
        self.schedule.resends = 0;
        match self.awaited()? {
            Awaited::Effect(verify) => {
                let (judgement, within) = (sight.judge(verify.conditions()), verify.within);
                self.verify_by(sight, judgement, within, now)
            }
            Awaited::Call(reconcile) => {
                let done = sight.judge([&reconcile.done]);
                let judge =
                    |one: &Option<FactCondition>| one.as_ref().map(|one| sight.judge([one]));
                let mut not_done = judge(&reconcile.not_done);
                let pending = judge(&reconcile.pending);
                let within = reconcile.within.unwrap_or(Self::RECONCILED_WITHIN);
                // What was under way can fail. Before that, the same state says nothing.
                let refused = judge(&reconcile.refused);
                let call = &mut self.progress.call;
                if call.under_way.is_some() && refused == Some(Judgement::Holds) {
                    not_done = refused;
                }
                match pending {
                    Some(Judgement::Holds) => call.under_way = Some(true),
                    Some(Judgement::Fails(_)) => {
                        call.under_way = call.under_way.map(|_| false);
                    }
                    Some(Judgement::NotKnown(_)) | None => {}
                }
                self.reconcile_by(sight, done, (not_done, within), now)
            }
        }
    }

    fn verify_by(
        &mut self,
        sight: &Sight,
        judgement: Judgement,
        within: i64,
        now: Timestamp,
    ) -> Option<(JournalEvent, Value)> {
        let until = self.ended_at().plus(within);
        let is_blind = matches!(judgement, Judgement::NotKnown(_));
        let (problem, patience) = match judgement {
            Judgement::Holds => (None, 0),
            Judgement::Fails(found) => (Some(found), 0),
            Judgement::NotKnown(silence) if silence.is_for_good => (Some(silence.problem), 0),
            Judgement::NotKnown(silence) => (Some(silence.problem), Self::UNREADABLE),
        };
        let status = match problem {
            None => VerificationStatus::Effective,
            Some(_) if until.plus(patience) <= now => VerificationStatus::Ineffective,
            Some(_) => VerificationStatus::Pending,
        };
        let looks = self.checks.verification.as_mut()?;
        let number = looks.looked(sight, (status, problem), now);
        looks.is_blind = is_blind;
        let detail = looks.detail();
        let is_pending = status == VerificationStatus::Pending;
        let next = is_pending.then(|| self.next_look(Self::VERIFIED, number, until, now));
        self.schedule.due_at = next;
        self.checks.verification.as_mut()?.next = next;
        let event = if is_pending {
            JournalEvent::Looked
        } else {
            JournalEvent::Verified
        };
        Some((event, detail))
    }

    fn reconcile_by(
        &mut self,
        sight: &Sight,
        done: Judgement,
        (not_done, within): (Option<Judgement>, i64),
        now: Timestamp,
    ) -> Option<(JournalEvent, Value)> {
        let is_at_work = now < self.ended_at().plus(Self::AT_WORK);
        let patience = match self.progress.call.under_way {
            Some(true) => within.max(Self::RECONCILED_WITHIN),
            _ => Self::RECONCILED_WITHIN,
        };
        let last = self.ended_at().plus(patience);
        let looks = self.checks.reconciliation.as_mut()?;
        let otherwise = if last <= now {
            ReconciliationStatus::Unknown
        } else {
            ReconciliationStatus::Pending
        };
        let result = match (done, not_done) {
            (Judgement::Holds, Some(Judgement::Holds)) => {
                let both = "The facts say both that it took effect and that it did not.";
                (otherwise, Some(both.to_owned()))
            }
            (Judgement::Holds, _) => (ReconciliationStatus::Done, None),
            (_, Some(Judgement::Holds)) if is_at_work => {
                let early =
                    "The call has not taken effect yet; the target system may still process it.";
                (otherwise, Some(early.to_owned()))
            }
            (_, Some(Judgement::Holds)) => (ReconciliationStatus::NotDone, None),
            (Judgement::NotKnown(silence), _) | (_, Some(Judgement::NotKnown(silence))) => {
                (otherwise, Some(silence.problem))
            }
            (Judgement::Fails(found), Some(Judgement::Fails(_)) | None) => (otherwise, Some(found)),
        };
        let status = result.0;
        let (number, detail) = (looks.looked(sight, result, now), looks.detail());
        let is_pending = status == ReconciliationStatus::Pending;
        let next = is_pending.then(|| self.next_look(&Self::RECONCILED, number, last, now));
        self.schedule.due_at = next;
        self.checks.reconciliation.as_mut()?.next = next;
        match status {
            ReconciliationStatus::Pending => return Some((JournalEvent::Looked, detail)),
            ReconciliationStatus::Done => self.took_effect(now),
            ReconciliationStatus::NotDone => self.took_no_effect(now),
            ReconciliationStatus::Unknown => {}
        }
        Some((JournalEvent::Reconciled, detail))
    }

    /// Returns the time of the next check after `looks` checks. After the planned times, half of
    /// the last of them passes between two checks. The result is at most `until`, unless that has
    /// passed.
    fn next_look(&self, after: &[i64], looks: i64, until: Timestamp, now: Timestamp) -> Timestamp {
        let place = usize::try_from(looks).unwrap_or(usize::MAX);
        let last = after.last().copied().unwrap_or_default();
        let planned = match after.get(place) {
            Some(pause) => self.ended_at().plus(*pause),
            None => now.plus(last / 2),
        };
        let next = planned.max(now.plus(Self::BETWEEN_LOOKS));
        if now < until {
            next.min(until)
        } else {
            next.max(now.plus(5 * span::MINUTE))
        }
    }

    pub(super) fn ended_at(&self) -> Timestamp {
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
            self.plan_looks(now);
        }
    }

    /// Marks the unclear step as certainly not done.
    fn took_no_effect(&mut self, now: Timestamp) {
        let step = self.is_known(StepStatus::NotDone, now);
        self.state = ActionState::Failed;
        self.end.error = Some(format!(
            "A later check found that step {step} did not take effect. The action may be executed again."
        ));
    }

    /// Stores the result of the step whose outcome was unknown. Returns its number.
    pub(super) fn is_known(&mut self, status: StepStatus, now: Timestamp) -> i64 {
        let step = self.content.steps.get(self.next_step());
        let step = step.map_or(self.progress.steps_done + 1, |step| step.order);
        let known = self.known_result(step);
        let excerpt_hash = known.and_then(|known| known.excerpt_hash.clone());
        self.keep(step, status, excerpt_hash, now);
        self.progress.call = OpenCall::default();
        self.updated_at = now;
        step
    }

    /// True if it was skipped since its record is not as it was proposed.
    #[must_use]
    pub fn is_outdated(&self) -> bool {
        let error = self.end.error.as_deref().unwrap_or_default();
        let mut reasons = ["precondition_changed: ", "content_changed: "].iter();
        reasons.any(|reason| error.starts_with(reason))
    }

    /// True if its verification found that a precondition of another action of the proposal does not
    /// hold.
    #[must_use]
    pub fn refutes(&self, other: &ActionContent) -> bool {
        let looks = self.checks.verification.as_ref();
        let found = looks.filter(|_| self.is_verified() && self.state == ActionState::Succeeded);
        let Some(found) = found.and_then(|looks| looks.found.as_ref()) else {
            return false;
        };
        let own = |read: &&TargetRead| self.content.reads.contains(read);
        let shared: Vec<&str> = other
            .reads
            .iter()
            .filter(own)
            .map(|read| &*read.name)
            .collect();
        let found = found.0.0.iter();
        let found = found.filter(|(fact, _)| shared.contains(&read_of(fact)));
        let facts: Facts = found
            .map(|(fact, value)| (fact.clone(), value.clone()))
            .collect();
        other
            .require
            .iter()
            .any(|one| one.holds(&facts) == Some(false))
    }

    /// True if its effect was verified, or it has no verification.
    #[must_use]
    pub fn is_verified(&self) -> bool {
        let looks = self.checks.verification.as_ref();
        let is_effective = |looks: &Looks<_>| looks.status == VerificationStatus::Effective;
        self.content.verify.is_none() || looks.is_some_and(is_effective)
    }

    /// Returns whether it helped its records, by its verification. None for a message, for an
    /// effect that was already there, and where the system could not be read.
    #[must_use]
    pub fn helped(&self) -> Option<bool> {
        let looks = self.checks.verification.as_ref();
        let looks = looks.filter(|_| self.content.action_type.puts_right())?;
        match looks.status {
            VerificationStatus::Pending => None,
            VerificationStatus::Effective => self.is_effective().then_some(true),
            VerificationStatus::Ineffective => (!looks.is_blind).then_some(false),
        }
    }
}

/// Precondition checks.
impl AgentAction {
    /// True if a claim is followed by a precondition check before the next call that changes
    /// something. False if that call may have been sent, or if an earlier step changed something:
    /// the check would find the action's own effect.
    pub(super) fn looks_first(&self) -> bool {
        !self.content.require.is_empty() && !self.progress.call.ambiguous && !self.has_changed()
    }

    /// Returns the reads of its preconditions.
    #[must_use]
    pub fn required_reads(&self) -> Vec<TargetRead> {
        reads_of(&self.content.reads, &self.content.require)
    }

    /// Returns the number of calls and reads that it will probably send through its connection, at least
    /// 1.
    #[must_use]
    pub fn calls_ahead(&self) -> i64 {
        let mut reads = self.required_reads();
        reads.retain(|read| *read.connection == *self.content.target_system);
        let steps = self.content.steps.len().saturating_sub(self.next_step());
        i64::try_from(reads.len() + steps).map_or(1, |calls| calls.max(1))
    }

    /// Returns the reads that show whether the next call took effect. Empty if no read shows it.
    #[must_use]
    pub fn doubt_reads(&self) -> Vec<TargetRead> {
        reads_of(&self.content.reads, self.shows_done())
    }

    /// True if an observation shows that the next call took effect.
    #[must_use]
    pub fn was_done(&self, sight: &Sight) -> bool {
        let judged = self.shows_done().map(|done| sight.judge([done]));
        matches!(judged, Some(Judgement::Holds))
    }

    /// Returns the condition that shows the effect of the next call.
    fn shows_done(&self) -> Option<&FactCondition> {
        let step = self.content.steps.get(self.next_step())?;
        Some(&step.reconcile.as_ref()?.done)
    }

    /// Returns the next step, from 0.
    pub(super) fn next_step(&self) -> usize {
        usize::try_from(self.progress.steps_done).unwrap_or(0)
    }

    /// Judges its preconditions. The holder has sent nothing that changes anything.
    pub fn permits(&mut self, sight: &Sight, now: Timestamp) -> Precondition {
        self.not_sent();
        let judgement = sight.judge(&self.content.require);
        let problem = match &judgement {
            Judgement::Holds => None,
            Judgement::Fails(found) => Some(found.clone()),
            Judgement::NotKnown(silence) => Some(silence.problem.clone()),
        };
        self.progress.looked = Some(Looked {
            at: now,
            found: sight.facts().clone(),
            problem,
        });
        match judgement {
            Judgement::Holds => {
                self.progress.call.looking = false;
                Precondition::Holds
            }
            Judgement::Fails(found) => {
                Precondition::Changed(self.kept_from(&format!("precondition_changed: {found}")))
            }
            Judgement::NotKnown(Silence {
                problem,
                is_for_good: true,
                ..
            }) => {
                Precondition::Changed(self.kept_from(&format!("precondition_unknown: {problem}")))
            }
            Judgement::NotKnown(silence) => Precondition::NotKnown(silence.problem),
        }
    }

    /// Returns the outcome of an action that is blocked before its next call.
    fn kept_from(&self, why: &str) -> Outcome {
        let sent = if self.progress.steps_done > 0 {
            "Nothing more was sent."
        } else {
            "Nothing was sent."
        };
        Outcome {
            error: Some(format!("{why} {sent}")),
            ..self.stopped(None)
        }
    }
}
