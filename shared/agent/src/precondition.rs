//! The precondition check before the first call that changes something.

use super::{
    AgentAction, FactCondition, Judgement, Looked, Outcome, Sight, Silence, TargetRead, reads_of,
};
use model::Timestamp;

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
