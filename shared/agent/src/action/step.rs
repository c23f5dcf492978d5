//! Steps of actions: calls of target systems, and their results.

use std::collections::BTreeMap;

use model::{
    base::{JsonText, Timestamp},
    names,
};
use serde::{Deserialize, Serialize};

use crate::check::{AnswerCondition, Reconciliation, TargetRead};

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

/// A rendered call of a target system.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ApiCall {
    /// `GET`, `POST`, `PUT`, `PATCH` or `DELETE`.
    pub method: String,
    /// The path below the system's base URL, percent-encoded.
    pub path: String,
    /// Members of the query; only a read has some.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub query: BTreeMap<String, String>,
    pub body: Option<JsonText>,
    /// Statuses that mean success.
    pub expect: Vec<u16>,
    /// Conditions on the body that success requires besides the status; all must hold.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub success: Vec<AnswerCondition>,
    /// Answers of a call that was already done.
    #[serde(default)]
    pub already_done: Vec<AlreadyDone>,
}

/// An answer of a call whose effect had already taken place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AlreadyDone {
    pub status: u16,
    /// The body's `code`; absent for any code.
    pub code: Option<String>,
}

impl ApiCall {
    /// Creates a GET, which changes nothing and expects 200.
    pub fn get(path: &str) -> Self {
        Self {
            method: "GET".to_owned(),
            path: path.to_owned(),
            expect: vec![200],
            ..Self::default()
        }
    }

    /// Returns method and path as the API shows them: `POST /usage-batches/ub_1001/reprocess`.
    pub fn summary(&self) -> String {
        let mut text = format!("{} {}", self.method, self.path);
        for (place, (name, value)) in self.query.iter().enumerate() {
            let mark = if place == 0 { '?' } else { '&' };
            text.extend([&*mark.to_string(), name, "=", value]);
        }
        text
    }
}

impl TargetRead {
    pub fn call(&self) -> ApiCall {
        ApiCall {
            query: self.query.clone(),
            ..ApiCall::get(&self.path)
        }
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
    /// The hash of the last answer's [excerpt](crate::journal::Excerpt).
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
