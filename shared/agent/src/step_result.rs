//! Results of an action's steps.

use super::{ActionState, AgentAction, StepResult, StepStatus};
use model::Timestamp;

impl AgentAction {
    /// Stores the result of a step in place of an earlier one. `NotNow` after an unclear call stays
    /// unclear: it says nothing about the earlier call.
    pub fn keep(
        &mut self,
        step: i64,
        status: StepStatus,
        excerpt_hash: Option<String>,
        now: Timestamp,
    ) {
        let known = self
            .progress
            .results
            .iter()
            .find(|known| known.step == step);
        let was_unclear = known.is_some_and(|known| known.status == StepStatus::Unclear);
        let status = match status {
            StepStatus::NotNow if was_unclear => StepStatus::Unclear,
            status => status,
        };
        self.progress.results.retain(|known| known.step != step);
        self.progress.results.push(StepResult {
            step,
            status,
            at: Some(now),
            excerpt_hash,
        });
    }

    /// Returns the result of each of its steps.
    #[must_use]
    pub fn results_of_steps(&self) -> Vec<StepResult> {
        let next = self.next_step();
        let each = self.content.steps.iter().enumerate().map(|(at, step)| {
            let known = self
                .progress
                .results
                .iter()
                .find(|known| known.step == step.order);
            let known = known.cloned();
            let without = |status| StepResult {
                step: step.order,
                status,
                at: None,
                excerpt_hash: None,
            };
            if at < next {
                return known.unwrap_or_else(|| without(StepStatus::Done));
            }
            if at == next && self.state == ActionState::Unknown {
                // Its holder may have died before it could record an answer.
                let status = StepStatus::Unclear;
                return StepResult {
                    status,
                    ..known.unwrap_or_else(|| without(status))
                };
            }
            known.unwrap_or_else(|| without(StepStatus::NotSent))
        });
        each.collect()
    }

    /// Drops the results of steps that will be sent again.
    pub(super) fn forget_steps(&mut self) {
        let steps = self.content.steps.iter().take(self.next_step());
        let done: Vec<i64> = steps.map(|step| step.order).collect();
        self.progress
            .results
            .retain(|known| done.contains(&known.step));
    }
}
