//! Checks of a target system: preconditions before the first call that changes something. After an
//! action has ended, verification of its effect, and reconciliation of a call whose answer did not
//! tell.

use model::base::{Timestamp, span};

use crate::{
    action::{ActionContent, ActionState, AgentAction},
    check::{
        Check, CheckPurpose, CheckRecord, CheckStatus, FactCondition, Facts, Judgement,
        Observation, Purpose, Reconciliation, TargetRead, Verification, facts::reads_with, read_of,
        reads_of, record::Timetable,
    },
};

impl AgentAction {
    /// Milliseconds after its end until the last reconciliation check, unless the system says that
    /// the call is under way.
    pub const CALL_CHECKED_WITHIN: i64 = 12 * span::HOUR;
    /// Milliseconds of checks of an unreadable system, beyond the longest time of an effect.
    pub const UNREADABLE: i64 = 24 * span::HOUR;

    pub(crate) fn reconcile(&self) -> Option<&Reconciliation> {
        self.content
            .steps
            .get(self.progress.next_step())?
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

    pub(crate) fn ended_at(&self) -> Timestamp {
        self.end.at.unwrap_or(self.updated_at)
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
            .saturating_sub(self.progress.next_step());
        let calls = reads.len() + steps + usize::from(self.content.account().is_some());
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
        let verify = verify.filter(|_| self.progress.lost_since().is_some());
        let conditions = verify
            .into_iter()
            .flat_map(Verification::conditions);
        conditions.collect()
    }
}
