//! Problems as answers: `application/problem+json` (RFC 9457).

use std::sync::{Arc, Mutex};

use ::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use model::base::{Code, Error, Fault, FaultCode};
use serde::Serialize;
use utoipa::ToSchema;

use crate::{
    Problem,
    problem::{Cause, QuotaHeaders},
};

pub(crate) mod document;

/// The body of every answer of the service that is not a success.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = Problem)]
#[serde(rename_all = "camelCase")]
pub struct ProblemDetails {
    /// A URI reference that names the kind of problem.
    #[serde(rename = "type")]
    pub kind: String,
    /// The status in words.
    pub title: &'static str,
    pub status: u16,
    /// The cause, and what to do about it.
    pub detail: String,
    /// The path of the request.
    pub instance: String,
    /// A stable name of the problem.
    pub code: Code,
    /// The id of this request in the service's log.
    pub request_id: String,
    /// Every fault of the request; present for validation errors only.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    pub errors: Vec<Fault>,
    /// A copy of `detail`.
    pub message: String,
}

impl ProblemDetails {
    pub fn of(cause: Cause, path: &str, request_id: &str) -> Self {
        let code = cause.code();
        let detail = cause.detail();
        Self {
            kind: format!("urn:workdesk:problem:{}", code.name()),
            title: code.title(),
            status: code.status(),
            message: detail.clone(),
            detail,
            instance: path.to_owned(),
            code,
            request_id: request_id.to_owned(),
            errors: cause.faults(),
        }
    }
}

/// 400 with a fault at a place: a JSON pointer, or a parameter such as `?limit`.
pub(crate) fn invalid(pointer: &str, code: FaultCode, detail: impl Into<String>) -> Error {
    Error::invalid(fault(pointer, code, detail))
}

pub(crate) fn fault(pointer: &str, code: FaultCode, detail: impl Into<String>) -> Fault {
    Fault {
        pointer: pointer.to_owned(),
        code,
        detail: detail.into(),
    }
}

/// The challenge of a 401 (RFC 9110, 11.6.1). Browsers do not know this scheme and open no dialog.
pub(super) const CHALLENGE: &str = "Bearer realm=\"workdesk\"";

/// Adds the headers of a quota, if there are any.
pub(crate) fn add_quota(headers: &mut HeaderMap, quota: Option<QuotaHeaders>) {
    for (name, value) in quota.into_iter().flatten() {
        if let Ok(value) = HeaderValue::try_from(value) {
            headers.insert(name, value);
        }
    }
}

/// A problem of a response whose body is still to be written. The outermost layer, which knows the
/// request, writes it.
#[derive(Clone)]
pub(crate) struct Raised(Arc<Mutex<Option<Cause>>>);

impl Raised {
    /// Takes the cause; `None` the second time.
    pub(crate) fn take(&self) -> Option<Cause> {
        self.0.lock().ok()?.take()
    }
}

impl<R> IntoResponse for Problem<R> {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.cause.code().status());
        let status = status.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let mut response = status.into_response();
        let headers = response.headers_mut();
        if status == StatusCode::UNAUTHORIZED {
            let challenge = HeaderValue::from_static(CHALLENGE);
            headers.insert(header::WWW_AUTHENTICATE, challenge);
        }
        if let Some(seconds) = self.cause.retry_after() {
            headers.insert(header::RETRY_AFTER, seconds.into());
        }
        add_quota(headers, self.cause.quota());
        let raised = Raised(Arc::new(Mutex::new(Some(self.cause))));
        response.extensions_mut().insert(raised);
        response
    }
}
