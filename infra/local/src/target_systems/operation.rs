//! What a target system can be asked to do, and how it answers.

use http::{Method, StatusCode};
use serde::Serialize;
use serde_json::{Value, json};

use super::records::Records;

/// One of the demo target systems.
#[derive(Debug)]
pub(crate) struct System {
    pub(crate) name: &'static str,
    /// What a caller presents as its bearer token. Not a secret: it opens a demo on this machine.
    pub(crate) secret: &'static str,
    /// Whether a repeated `Idempotency-Key` gets the first answer again.
    pub(crate) honours_keys: bool,
    /// A path that can be read to see whether the system is reached.
    pub(crate) test_path: &'static str,
    pub(crate) operations: &'static [Operation],
}

/// An endpoint of a target system.
#[derive(Debug)]
pub(crate) struct Operation {
    pub(crate) method: Method,
    /// Path template below the system's base URL.
    pub(crate) path: &'static str,
    pub(crate) run: fn(&mut Records, &Request) -> Answer,
}

impl Operation {
    pub(crate) const fn get(path: &'static str, run: fn(&mut Records, &Request) -> Answer) -> Self {
        Self {
            method: Method::GET,
            path,
            run,
        }
    }

    pub(crate) const fn post(
        path: &'static str,
        run: fn(&mut Records, &Request) -> Answer,
    ) -> Self {
        Self {
            method: Method::POST,
            path,
            run,
        }
    }

    /// Method and path template, as faults and the effect log name it.
    pub(crate) fn name(&self) -> String {
        format!("{} {}", self.method, self.path)
    }
}

/// What an operation works on.
#[derive(Debug)]
pub(crate) struct Request {
    /// The `{id}` of the path, empty where it has none.
    pub(crate) id: String,
    /// The body, null where there is none.
    pub(crate) body: Value,
}

impl Request {
    /// A text of the body that has to be there.
    pub(crate) fn text(&self, field: &str) -> Result<&str, Answer> {
        self.body
            .get(field)
            .and_then(Value::as_str)
            .filter(|text| !text.is_empty())
            .ok_or_else(|| Answer::malformed(&format!("{field} must be a text")))
    }

    /// A positive whole number of the body that has to be there.
    pub(crate) fn positive(&self, field: &str) -> Result<u64, Answer> {
        self.body
            .get(field)
            .and_then(Value::as_u64)
            .filter(|number| *number > 0)
            .ok_or_else(|| Answer::malformed(&format!("{field} must be a positive whole number")))
    }
}

/// What an operation answers.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) body: Value,
    /// The entity that this call changed, if it changed one.
    pub(crate) changed: Option<String>,
    /// It was given before to a call with the same key.
    pub(crate) is_replay: bool,
}

impl Answer {
    /// The effect took place now.
    pub(crate) fn done(entity: &str, record: &impl Serialize) -> Self {
        Self {
            changed: Some(entity.to_owned()),
            ..Self::shows(entity, record)
        }
    }

    /// A record, with its id among its fields.
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

    /// What was asked for holds already.
    pub(crate) fn already_done() -> Self {
        Self::refusal(
            StatusCode::CONFLICT,
            "already_done",
            "the effect already stands",
        )
    }

    pub(crate) fn unknown(entity: &str) -> Self {
        Self::refusal(
            StatusCode::NOT_FOUND,
            "not_found",
            &format!("there is no {entity}"),
        )
    }

    /// A failure that somebody asked for.
    pub(crate) fn injected(status: u16) -> Self {
        let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        Self::refusal(status, "injected_fault", "as asked for")
    }

    /// The entity is in a state from which there is no way to what was asked for.
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

/// Runs an operation that may give its answer early.
pub(crate) fn answer(outcome: Result<Answer, Answer>) -> Answer {
    outcome.unwrap_or_else(|early| early)
}
