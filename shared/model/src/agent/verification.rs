//! Looks at a target system after an action has ended: whether it had the effect that it was to have,
//! and whether a call took effect whose answer did not tell.

use std::ops::Deref;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::ToSchema;

use super::{
    ActionState, ActionStep, AgentAction, AgentSession, AgentSessionStatus, ApprovedActions,
    JournalEvent, Judgement, Reconciliation, Sight, StepStatus, TargetRead,
};
use crate::{JsonText, Timestamp, span};

/// What looks after an action's end came to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Looks<S> {
    /// Where it stands.
    pub status: S,
    /// How often it was looked.
    pub looks: i64,
    /// When it was looked last.
    pub at: Option<Timestamp>,
    /// When it is looked next; none once that is over.
    pub next: Option<Timestamp>,
    /// What was found then, by `read.fact`.
    pub found: Option<JsonText>,
    /// What was found instead of what was looked for, or why nothing was.
    pub problem: Option<String>,
    /// The last look told nothing, since the target system did not answer it.
    #[serde(default)]
    pub is_blind: bool,
}

/// Whether an action had the effect that it was to have.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, strum::IntoStaticStr, ToSchema,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum VerificationStatus {
    /// It is looked again.
    Pending,
    /// It had.
    Effective,
    /// Its effect was not found in time.
    Ineffective,
}

/// What became of a call whose answer did not tell.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, strum::IntoStaticStr, ToSchema,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum ReconciliationStatus {
    /// It is looked again.
    Pending,
    /// It took effect.
    Done,
    /// It did not.
    NotDone,
    /// No look told: a person decides.
    Unknown,
}

/// What is looked for after an action's end.
#[derive(Clone, Copy, Debug)]
enum Awaited<'a> {
    Effect(&'a super::Verification),
    Call(&'a Reconciliation),
}

impl<S> Looks<S> {
    const fn first(status: S, next: Timestamp) -> Self {
        Self {
            status,
            looks: 0,
            at: None,
            next: Some(next),
            found: None,
            problem: None,
            is_blind: false,
        }
    }

    fn looked(&mut self, sight: &Sight, problem: Option<String>, now: Timestamp) {
        self.looks += 1;
        self.at = Some(now);
        self.found = Some(sight.facts().kept());
        self.problem = problem;
    }

    fn detail(&self) -> Value
    where
        S: Copy + Into<&'static str>,
    {
        let status: &str = self.status.into();
        json!({
            "status": status,
            "look": self.looks,
            "found": self.found.as_ref().map(|found| &found.0),
            "problem": self.problem,
        })
    }
}

/// Looks after its end.
impl AgentAction {
    /// How long after its end it is looked whether a call took effect, in milliseconds.
    pub const RECONCILED: [i64; 6] = [
        15 * span::SECOND,
        span::MINUTE,
        5 * span::MINUTE,
        30 * span::MINUTE,
        3 * span::HOUR,
        12 * span::HOUR,
    ];
    /// From how long after its end on a look is believed that a call did not take effect, in
    /// milliseconds: until then the target system may still be at work on it.
    pub const AT_WORK: i64 = span::MINUTE;
    /// How long after its end it is looked whether it had its effect, in milliseconds: as long as it may
    /// take, and at the end of that.
    pub const VERIFIED: [i64; 10] = [
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
    /// How long a system that does not answer is looked at beyond the time that an effect may take, in
    /// milliseconds.
    pub const UNREADABLE: i64 = 24 * span::HOUR;
    /// The shortest time between two looks, in milliseconds.
    const BETWEEN_LOOKS: i64 = 15 * span::SECOND;

    /// Has it looked at after its end, if that is to tell more: at once whether it had its effect, and
    /// after a while whether its call took effect.
    pub(super) fn plan_looks(&mut self, now: Timestamp) {
        self.resends = 0;
        match self.state {
            ActionState::Succeeded if self.verify.is_some() => {
                self.verification = Some(Looks::first(VerificationStatus::Pending, now));
                self.due_at = Some(now);
            }
            ActionState::Unknown if self.reconcile().is_some() => {
                let next = now.plus(Self::RECONCILED[0]);
                self.reconciliation = Some(Looks::first(ReconciliationStatus::Pending, next));
                self.due_at = Some(next);
            }
            _ => {}
        }
    }

    /// Ends the looks for what became of its call, since a person has told.
    pub(super) fn no_look_told(&mut self) {
        let looks = self.reconciliation.as_mut();
        if let Some(looks) = looks.filter(|one| one.status == ReconciliationStatus::Pending) {
            looks.status = ReconciliationStatus::Unknown;
            looks.next = None;
        }
    }

    /// How it is found out whether the step that comes next took effect.
    fn reconcile(&self) -> Option<&Reconciliation> {
        self.steps.get(self.next_step())?.reconcile.as_ref()
    }

    fn awaited(&self) -> Option<Awaited<'_>> {
        let (verification, reconciliation) = (&self.verification, &self.reconciliation);
        let verifies = verification
            .as_ref()
            .is_some_and(|looks| looks.status == VerificationStatus::Pending);
        let reconciles = reconciliation
            .as_ref()
            .is_some_and(|looks| looks.status == ReconciliationStatus::Pending);
        match self.state {
            ActionState::Succeeded if verifies => self.verify.as_ref().map(Awaited::Effect),
            ActionState::Unknown if reconciles => self.reconcile().map(Awaited::Call),
            _ => None,
        }
    }

    /// Whether it has ended and is looked at again.
    #[must_use]
    pub fn awaits_look(&self) -> bool {
        self.awaited().is_some()
    }

    /// Since when the look is due that it awaits.
    #[must_use]
    pub fn next_look_at(&self) -> Option<Timestamp> {
        match self.awaited()? {
            Awaited::Effect(_) => self.verification.as_ref()?.next,
            Awaited::Call(_) => self.reconciliation.as_ref()?.next,
        }
    }

    /// The reads that tell what is awaited. With an idempotency key, that of the call in question: the
    /// one that is unknown, or the last that changed something.
    #[must_use]
    pub fn awaited_reads(&self) -> Vec<TargetRead> {
        match self.awaited() {
            Some(Awaited::Effect(verify)) => {
                let last = self.steps.iter().rposition(ActionStep::changes);
                self.reads_of([&verify.effective], last.unwrap_or_default())
            }
            Some(Awaited::Call(reconcile)) => {
                self.reads_of(reconcile.conditions(), self.next_step())
            }
            None => Vec::new(),
        }
    }

    /// Notes that the sweeper asked for the look that is due, and when it asks again: after two minutes,
    /// and twice as long each time, up to an hour.
    pub fn look_asked(&mut self, now: Timestamp) {
        let pause = (Self::DELIVERY << self.resends.clamp(0, 5)).min(span::HOUR);
        self.due_at = Some(now.plus(pause));
        self.resends += 1;
    }

    /// Puts the look off that is due, since nothing may be sent for now.
    pub fn look_later(&mut self, later: Timestamp) {
        self.due_at = Some(later);
        self.resends = 0;
    }

    /// Takes in what a look told. Answers what the journal calls it: that it was looked, or what is
    /// settled with that. None when nothing was awaited.
    pub fn look(&mut self, sight: &Sight, now: Timestamp) -> Option<(JournalEvent, Value)> {
        self.resends = 0;
        match self.awaited()? {
            Awaited::Effect(verify) => {
                let (judgement, within) = (sight.judge([&verify.effective]), verify.within);
                self.verify_by(sight, judgement, within, now)
            }
            Awaited::Call(reconcile) => {
                let done = sight.judge([&reconcile.done]);
                let not_done = reconcile.not_done.as_ref().map(|one| sight.judge([one]));
                self.reconcile_by(sight, done, not_done, now)
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
        let (status, problem) = match judgement {
            Judgement::Holds => (VerificationStatus::Effective, None),
            Judgement::Fails(found) if until <= now => {
                (VerificationStatus::Ineffective, Some(found))
            }
            Judgement::Fails(found) => (VerificationStatus::Pending, Some(found)),
            Judgement::NotKnown(silence) => {
                let patience = if silence.is_for_good {
                    0
                } else {
                    Self::UNREADABLE
                };
                if until.plus(patience) <= now {
                    (VerificationStatus::Ineffective, Some(silence.problem))
                } else {
                    (VerificationStatus::Pending, Some(silence.problem))
                }
            }
        };
        let looks = self.verification.as_mut()?;
        looks.looked(sight, problem, now);
        looks.is_blind = is_blind;
        looks.status = status;
        let (number, detail) = (looks.looks, looks.detail());
        let is_pending = status == VerificationStatus::Pending;
        let next = is_pending.then(|| self.next_look(&Self::VERIFIED, number, until, now));
        self.due_at = next;
        self.verification.as_mut()?.next = next;
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
        not_done: Option<Judgement>,
        now: Timestamp,
    ) -> Option<(JournalEvent, Value)> {
        let is_at_work = now < self.ended_at().plus(Self::AT_WORK);
        let looks = self.reconciliation.as_mut()?;
        let is_last = looks.looks + 1 >= i64::try_from(Self::RECONCILED.len()).unwrap_or(1);
        let otherwise = if is_last {
            ReconciliationStatus::Unknown
        } else {
            ReconciliationStatus::Pending
        };
        let (status, problem) = match (done, not_done) {
            (Judgement::Holds, Some(Judgement::Holds)) => {
                let both = "What was found says both that it took effect and that it did not.";
                (otherwise, Some(both.to_owned()))
            }
            (Judgement::Holds, _) => (ReconciliationStatus::Done, None),
            (_, Some(Judgement::Holds)) if is_at_work => {
                let early = "It did not take effect yet; the target system may be at work on it.";
                (otherwise, Some(early.to_owned()))
            }
            (_, Some(Judgement::Holds)) => (ReconciliationStatus::NotDone, None),
            (Judgement::NotKnown(silence), _) | (_, Some(Judgement::NotKnown(silence))) => {
                (otherwise, Some(silence.problem))
            }
            (Judgement::Fails(found), Some(Judgement::Fails(_)) | None) => (otherwise, Some(found)),
        };
        looks.looked(sight, problem, now);
        looks.status = status;
        let (number, detail) = (looks.looks, looks.detail());
        let is_pending = status == ReconciliationStatus::Pending;
        let last = now.plus(12 * span::HOUR);
        let next = is_pending.then(|| self.next_look(&Self::RECONCILED, number, last, now));
        self.due_at = next;
        self.reconciliation.as_mut()?.next = next;
        match status {
            ReconciliationStatus::Pending => return Some((JournalEvent::Looked, detail)),
            ReconciliationStatus::Done => self.took_effect(now),
            ReconciliationStatus::NotDone => self.took_no_effect(now),
            ReconciliationStatus::Unknown => {}
        }
        Some((JournalEvent::Reconciled, detail))
    }

    /// When it is looked at again that was looked at so often: after the next of these times, and as
    /// often as the last two are apart beyond them. Never beyond `until`, unless that is over.
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

    fn ended_at(&self) -> Timestamp {
        self.executed_at.unwrap_or(self.updated_at)
    }

    /// The step in question is done.
    fn took_effect(&mut self, now: Timestamp) {
        let step = self.is_known(StepStatus::Done, now);
        self.steps_done += 1;
        if self.next_step() < self.steps.len() {
            self.state = ActionState::Failed;
            self.error = Some(format!(
                "A later look found that step {step} took effect. The steps after it were not sent: \
                 executed again, the action goes on with them."
            ));
        } else {
            self.state = ActionState::Succeeded;
            self.error = None;
            self.plan_looks(now);
        }
    }

    /// The step in question is not done, for certain.
    fn took_no_effect(&mut self, now: Timestamp) {
        let step = self.is_known(StepStatus::NotDone, now);
        self.state = ActionState::Failed;
        self.error = Some(format!(
            "A later look found that step {step} did not take effect. It may be executed again."
        ));
    }

    /// Keeps what became of the step of which it was not known whether it took effect; answers its number.
    pub(super) fn is_known(&mut self, status: StepStatus, now: Timestamp) -> i64 {
        let step = self.steps.get(self.next_step());
        let step = step.map_or(self.steps_done + 1, |step| step.order);
        let known = self.step_results.iter().find(|known| known.step == step);
        let response = known.and_then(|known| known.response.clone());
        self.keep(step, status, response.as_ref(), now);
        self.sending = false;
        self.ambiguous = false;
        self.updated_at = now;
        step
    }

    /// Whether its effect was found, where that is looked for.
    #[must_use]
    pub fn is_verified(&self) -> bool {
        let looks = self.verification.as_ref();
        let is_effective = |looks: &Looks<_>| looks.status == VerificationStatus::Effective;
        self.verify.is_none() || looks.is_some_and(is_effective)
    }

    /// Whether it helped its records, as far as looks told. None of a message, of what had been done
    /// before, and where nobody could look.
    #[must_use]
    pub fn helped(&self) -> Option<bool> {
        let looks = self.verification.as_ref();
        let looks = looks.filter(|_| self.action_type.puts_right())?;
        match looks.status {
            VerificationStatus::Pending => None,
            VerificationStatus::Effective => self.is_effective().then_some(true),
            VerificationStatus::Ineffective => (!looks.is_blind).then_some(false),
        }
    }
}

/// What a session makes of what looks found.
impl AgentSession {
    /// Takes in that an action of it is known now that was not. If it had failed, it completes once each of
    /// its approved actions has succeeded; otherwise what is not done may run again for as long as after
    /// the failure. Answers whether it completed just now.
    pub fn settle_again<A: Deref<Target = AgentAction>>(
        &mut self,
        actions: &ApprovedActions<A>,
        now: Timestamp,
    ) -> bool {
        let had_failed = self.status == AgentSessionStatus::Failed && !self.approved.is_empty();
        if !had_failed || !actions.all_ended() {
            return false;
        }
        self.error = Self::shortfall(&self.results(actions));
        if self.error.is_some() {
            self.failed_at = Some(now);
            return false;
        }
        self.withdraw_approvals();
        self.turn(AgentSessionStatus::Completed, None, now);
        true
    }

    /// Whether what its signal is about is put right: it is completed, each effect that is looked for was
    /// found, and one of them puts something right, as a message does not.
    #[must_use]
    pub fn is_put_right<A: Deref<Target = AgentAction>>(
        &self,
        actions: &ApprovedActions<A>,
    ) -> bool {
        let known = || actions.known.iter();
        let puts_right = |action: &A| action.verify.is_some() && action.action_type.puts_right();
        self.status == AgentSessionStatus::Completed
            && actions.unreadable.is_empty()
            && known().all(|action| action.is_verified())
            && known().any(puts_right)
    }
}
