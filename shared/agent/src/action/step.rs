//! Steps of actions: calls of target systems, and their results.

use model::{base::Timestamp, names};
use serde::{Deserialize, Serialize};

use crate::{check::Reconciliation, connection::ApiCall};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ActionStep {
    /// The position, from 1.
    pub order: i64,
    pub description: String,
    /// The call; none for a step that a person does.
    pub call: Option<ApiCall>,
    /// Conditions that show whether the call took effect when its answer does not tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reconcile: Option<Reconciliation>,
}

impl ActionStep {
    /// True if it may change something.
    pub fn changes(&self) -> bool {
        self.call
            .as_ref()
            .is_none_or(ApiCall::changes)
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StepResult {
    /// The step, from 1.
    pub step: i64,
    pub status: StepStatus,
    /// The instant of this status; none for a step that was not sent.
    pub at: Option<Timestamp>,
    /// The hash of the last answer's [excerpt](crate::connection::Excerpt).
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
