//! Steps of actions: calls of target systems, and their results.

use serde::{Deserialize, Serialize};

use super::{ActionState, AgentAction, AnswerCondition, Reconciliation, TargetRead};
use model::{JsonText, Timestamp, names};

/// A step of an action.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ActionStep {
    /// The position, from 1.
    pub order: i64,
    /// A description of what it does.
    pub description: String,
    /// The call; none for a step that a person does.
    pub call: Option<ApiCall>,
    /// Conditions that show whether the call took effect when its answer does not tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reconcile: Option<Reconciliation>,
}

impl ActionStep {
    /// True if it may change something.
    #[must_use]
    pub fn changes(&self) -> bool {
        self.call.as_ref().is_none_or(ApiCall::changes)
    }
}

/// A rendered call of a target system.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ApiCall {
    /// `GET`, `POST`, `PUT`, `PATCH` or `DELETE`.
    pub method: String,
    /// The path below the system's base URL, percent-encoded.
    pub path: String,
    /// The JSON body.
    pub body: Option<JsonText>,
    /// Statuses that mean success.
    pub expect: Vec<u16>,
    /// Conditions on the body that success requires besides the status; all must hold.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub success: Vec<AnswerCondition>,
    /// Answers that mean that it was already done.
    #[serde(default)]
    pub already_done: Vec<AlreadyDone>,
}

/// An answer that means that the effect had already taken place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AlreadyDone {
    /// The status.
    pub status: u16,
    /// The body's `code`; absent for any code.
    pub code: Option<String>,
}

impl ApiCall {
    /// Creates a GET, which changes nothing and expects 200.
    #[must_use]
    pub fn get(path: &str) -> Self {
        Self {
            method: "GET".to_owned(),
            path: path.to_owned(),
            body: None,
            expect: vec![200],
            success: Vec::new(),
            already_done: Vec::new(),
        }
    }

    /// Returns method and path as the API shows them: `POST /usage-batches/ub_1001/reprocess`.
    #[must_use]
    pub fn summary(&self) -> String {
        format!("{} {}", self.method, self.path)
    }
}

impl TargetRead {
    /// Returns the call, which expects 200.
    #[must_use]
    pub fn call(&self) -> ApiCall {
        ApiCall::get(&self.path)
    }
}

/// The result of a step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StepResult {
    /// The step, from 1.
    pub step: i64,
    /// The status.
    pub status: StepStatus,
    /// The instant of this status; none for a step that was not sent.
    pub at: Option<Timestamp>,
    /// The hash of the last answer's [excerpt](crate::Excerpt).
    pub excerpt_hash: Option<String>,
}

names! {
    /// The status of a step.
    pub enum StepStatus {
        /// Done.
        Done,
        /// Already done before.
        DoneBefore,
        /// Refused, or its answer says that it did not succeed.
        Refused,
        /// The target system did not accept it at this time.
        NotNow,
        /// Possibly done.
        Unclear,
        /// Sent, and a later check found that it had no effect.
        NotDone,
        /// Not sent.
        NotSent,
    }
}

/// Results of its steps.
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
        let known = self.known_result(step);
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
            // The holder of an unclear step may have died before it could record an answer.
            let is_unclear = at == next && self.state == ActionState::Unknown;
            let unsent = StepResult {
                step: step.order,
                status: if at < next {
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

    /// Returns the stored result of a step.
    pub(super) fn known_result(&self, step: i64) -> Option<&StepResult> {
        self.progress.results.iter().find(|one| one.step == step)
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
