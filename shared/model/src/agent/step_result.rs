//! What became of the steps of an action.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use super::{ActionState, AgentAction, Effect};
use crate::{JsonObject, JsonText, Timestamp};

/// What became of a step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StepResult {
    /// From 1.
    pub step: i64,
    /// What is known of it.
    pub status: StepStatus,
    /// Since when; none for one that was not sent.
    pub at: Option<Timestamp>,
    /// The last answer to it: `{status, body}`, the body up to 1 KiB.
    pub response: Option<JsonText>,
}

/// What is known of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum StepStatus {
    /// It is done.
    Done,
    /// It had been done before, whoever had done it.
    DoneBefore,
    /// It was refused, or its answer says that it did not succeed.
    Refused,
    /// The target system did not take it for now.
    NotNow,
    /// It may have been done.
    Unclear,
    /// It was sent, and a later look found that it did not take effect.
    NotDone,
    /// It was not sent.
    NotSent,
}

impl From<Effect> for StepStatus {
    fn from(effect: Effect) -> Self {
        match effect {
            Effect::Done => Self::Done,
            Effect::DoneBefore => Self::DoneBefore,
            Effect::Refused => Self::Refused,
            Effect::NotNow => Self::NotNow,
            Effect::Unclear | Effect::Undecided => Self::Unclear,
        }
    }
}

impl AgentAction {
    /// The most bytes of a step's answer that are kept with the action; the journal has more.
    const LONGEST_ANSWER: usize = 1024;

    /// Keeps what became of a step, in place of what was known before. That a call was not taken for now
    /// says nothing of an earlier one that is unclear.
    pub fn keep(
        &mut self,
        step: i64,
        status: StepStatus,
        response: Option<&JsonText>,
        now: Timestamp,
    ) {
        let known = self.step_results.iter().find(|known| known.step == step);
        let was_unclear = known.is_some_and(|known| known.status == StepStatus::Unclear);
        let status = match status {
            StepStatus::NotNow if was_unclear => StepStatus::Unclear,
            status => status,
        };
        self.step_results.retain(|known| known.step != step);
        self.step_results.push(StepResult {
            step,
            status,
            at: Some(now),
            response: response.map(shortened),
        });
    }

    /// What became of each of its steps.
    #[must_use]
    pub fn results_of_steps(&self) -> Vec<StepResult> {
        let next = self.next_step();
        let each = self.steps.iter().enumerate().map(|(at, step)| {
            let known = self
                .step_results
                .iter()
                .find(|known| known.step == step.order);
            let known = known.cloned();
            let without = |status| StepResult {
                step: step.order,
                status,
                at: None,
                response: None,
            };
            if at < next {
                return known.unwrap_or_else(|| without(StepStatus::Done));
            }
            if at == next && self.state == ActionState::Unknown {
                // Its holder may have died before it could tell.
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

    /// Forgets what became of steps that are to be sent again.
    pub(super) fn forget_steps(&mut self) {
        let steps = self.steps.iter().take(self.next_step());
        let done: Vec<i64> = steps.map(|step| step.order).collect();
        self.step_results.retain(|known| done.contains(&known.step));
    }
}

/// An answer with the beginning of its body alone, where that is long.
fn shortened(JsonText(JsonObject(answer)): &JsonText) -> JsonText {
    let members = answer.iter().map(|(name, value)| {
        let mut text = match value {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        if text.len() <= AgentAction::LONGEST_ANSWER {
            return (name.clone(), value.clone());
        }
        text.truncate(text.floor_char_boundary(AgentAction::LONGEST_ANSWER));
        (name.clone(), text.into())
    });
    JsonText(members.collect())
}
