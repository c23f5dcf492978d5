use crate::action::{ActionState, AgentAction, StepResult, StepStatus};
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
        let known = self.known_result(step).map(|known| known.status);
        let status = match (status, known) {
            (StepStatus::NotNow, Some(StepStatus::Unclear)) => StepStatus::Unclear,
            (status, _) => status,
        };
        self.progress.results.retain(|known| known.step != step);
        self.progress.results.push(StepResult {
            step,
            status,
            at: Some(now),
            excerpt_hash,
        });
    }

    pub fn results_of_steps(&self) -> Vec<StepResult> {
        let next = self.next_step();
        let each = self.content.steps.iter().enumerate().map(|(at, step)| {
            // The holder of an unclear step may have died before it could record an answer.
            let is_unclear = at == next && self.state == ActionState::Unknown;
            let is_done = at < next;
            let unsent = StepResult {
                step: step.order,
                status: if is_done {
                    StepStatus::Done
                } else {
                    StepStatus::NotSent
                },
                at: None,
                excerpt_hash: None,
            };
            let mut result = self.known_result(step.order).cloned().unwrap_or(unsent);
            if is_unclear {
                result.status = StepStatus::Unclear;
            }
            result
        });
        each.collect()
    }

    pub(crate) fn known_result(&self, step: i64) -> Option<&StepResult> {
        self.progress.results.iter().find(|one| one.step == step)
    }

    /// Drops the results of steps that will be sent again.
    pub(crate) fn forget_steps(&mut self) {
        let steps = self.content.steps.iter().take(self.next_step());
        let done: Vec<i64> = steps.map(|step| step.order).collect();
        let results = &mut self.progress.results;
        results.retain(|known| done.contains(&known.step));
    }
}
