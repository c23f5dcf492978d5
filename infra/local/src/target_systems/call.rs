//! Requests to operations, and their answers.

use http::StatusCode;
use serde::Serialize;
use serde_json::{Value, json};

/// The input of an operation.
#[derive(Debug)]
pub(crate) struct Request {
    /// `{id}` of the path; empty if it has none.
    pub(crate) id: String,
    /// Body; null if there is none.
    pub(crate) body: Value,
}

impl Request {
    /// Returns a required, non-empty string of the body.
    pub(crate) fn text(&self, field: &str) -> Result<&str, Answer> {
        self.body
            .get(field)
            .and_then(Value::as_str)
            .filter(|text| !text.is_empty())
            .ok_or_else(|| Answer::malformed(&format!("{field} must be a string")))
    }

    /// Returns a required, positive integer of the body.
    pub(crate) fn positive(&self, field: &str) -> Result<u64, Answer> {
        self.body
            .get(field)
            .and_then(Value::as_u64)
            .filter(|number| *number > 0)
            .ok_or_else(|| Answer::malformed(&format!("{field} must be a positive whole number")))
    }
}

/// The answer of an operation.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) body: Value,
    /// Id of the entity that the call changed, if any.
    pub(crate) changed: Option<String>,
    /// True for a stored answer to an earlier call with the same key.
    pub(crate) is_replay: bool,
}

impl Answer {
    /// Returns a success with an effect.
    pub(crate) fn done(entity: &str, record: &impl Serialize) -> Self {
        Self {
            changed: Some(entity.to_owned()),
            ..Self::shows(entity, record)
        }
    }

    /// Returns a success with a record and its id, without an effect.
    pub(crate) fn shows(entity: &str, record: &impl Serialize) -> Self {
        let mut body = json!(record);
        body["id"] = json!(entity);
        Self {
            status: StatusCode::OK,
            body,
            changed: None,
            is_replay: false,
        }
    }

    /// Returns 409, since the effect already exists.
    pub(crate) fn already_done() -> Self {
        Self::refusal(
            StatusCode::CONFLICT,
            "already_done",
            "the effect already exists",
        )
    }

    pub(crate) fn unknown(entity: &str) -> Self {
        Self::refusal(
            StatusCode::NOT_FOUND,
            "not_found",
            &format!("there is no {entity}"),
        )
    }

    /// Returns the failure of an injected fault.
    pub(crate) fn injected(status: u16) -> Self {
        let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        Self::refusal(status, "injected_fault", "injected fault")
    }

    /// Returns 422 for an illegal state transition.
    pub(crate) fn unusable(detail: &str) -> Self {
        Self::refusal(
            StatusCode::UNPROCESSABLE_ENTITY,
            "invalid_transition",
            detail,
        )
    }

    pub(crate) fn malformed(detail: &str) -> Self {
        Self::refusal(StatusCode::BAD_REQUEST, "invalid_request", detail)
    }

    pub(crate) fn refusal(status: StatusCode, code: &str, detail: &str) -> Self {
        Self {
            status,
            body: json!({ "code": code, "detail": detail }),
            changed: None,
            is_replay: false,
        }
    }
}
