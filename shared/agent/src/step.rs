//! Steps of actions: calls of target systems, and their results.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use super::{AnswerCondition, Reconciliation, TargetRead};
use model::{JsonObject, JsonText, Timestamp};

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
    /// A dry run of the call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dry_run: Option<DryRun>,
}

/// A call by which a target system reports the effect of another call without performing it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DryRun {
    /// The call.
    pub call: ApiCall,
    /// True if the playbook declares it free of side effects, for any method.
    #[serde(default)]
    pub is_harmless: bool,
}

impl DryRun {
    /// Returns the call if it may be sent: a GET, or one declared free of side effects.
    #[must_use]
    pub fn sendable(&self) -> Option<&ApiCall> {
        let call = &self.call;
        (self.is_harmless || !call.changes()).then_some(call)
    }
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
    /// Statuses besides 429 by which the system guarantees that nothing was done.
    #[serde(default)]
    pub not_done: Vec<u16>,
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
    /// The placeholder for a call's idempotency key, in paths of reads and in paths and bodies of
    /// calls. By this key, a read finds what the call created.
    pub const KEY: &str = "{idempotency_key}";

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
            not_done: Vec::new(),
        }
    }

    /// Returns method and path as the API shows them: `POST /usage-batches/ub_1001/reprocess`.
    #[must_use]
    pub fn summary(&self) -> String {
        format!("{} {}", self.method, self.path)
    }

    /// Returns the call with its idempotency key in path and body, where these have the
    /// placeholder.
    #[must_use]
    pub fn with_key(&self, key: &str) -> Self {
        let body = self.body.as_ref().map(|body| {
            let members = body.0.0.iter();
            let members = members.map(|(name, value)| (name.clone(), keyed(value, key)));
            JsonText(members.collect::<JsonObject>())
        });
        Self {
            path: self.path.replace(Self::KEY, key),
            body,
            ..self.clone()
        }
    }
}

fn keyed(value: &Value, key: &str) -> Value {
    match value {
        Value::String(text) => text.replace(ApiCall::KEY, key).into(),
        Value::Array(elements) => elements.iter().map(|one| keyed(one, key)).collect(),
        Value::Object(members) => {
            let members = members.iter();
            members
                .map(|(name, value)| (name.clone(), keyed(value, key)))
                .collect()
        }
        other => other.clone(),
    }
}

impl TargetRead {
    /// Returns the call, which expects 200.
    #[must_use]
    pub fn call(&self) -> ApiCall {
        ApiCall::get(&self.path)
    }

    /// Returns the read with an idempotency key in its path, where the path has the placeholder.
    #[must_use]
    pub fn with_key(&self, key: &str) -> Self {
        Self {
            path: self.path.replace(ApiCall::KEY, key),
            ..self.clone()
        }
    }

    /// True if its path needs a call's idempotency key, without which it cannot be sent.
    #[must_use]
    pub fn asks_for_key(&self) -> bool {
        self.path.contains(ApiCall::KEY)
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
    /// The last answer to it: `{status, body}`, with at most 1 KiB of the body.
    pub response: Option<JsonText>,
}

/// The status of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
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
