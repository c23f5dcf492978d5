//! Problems as answers: `application/problem+json` (RFC 9457).

use axum::response::{IntoResponse, Response};
use http::{HeaderValue, StatusCode, header};
use model::{Code, Fault};
use serde::Serialize;
use utoipa::ToSchema;

use crate::{Problem, problem::Cause};

pub(crate) mod document;

/// The body of every answer of the service that is not a success.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = Problem, examples(json!({
    "type": "urn:workdesk:problem:not_found",
    "title": "Not found",
    "status": 404,
    "detail": "There is no such task.",
    "instance": "/api/tasks/7",
    "code": "not_found",
    "requestId": "JKJaXmPLvHcESHA=",
    "message": "There is no such task."
})))]
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

pub fn status(code: Code) -> StatusCode {
    StatusCode::from_u16(code.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
}

/// The challenge of a 401 (RFC 9110, 11.6.1). Browsers do not know this scheme and open no dialog.
pub(super) const CHALLENGE: &str = "Bearer realm=\"workdesk\"";

/// A problem of a response whose body is still to be written. The outermost layer, which knows the
/// request, writes it.
#[derive(Clone)]
pub(crate) struct Raised(std::sync::Arc<std::sync::Mutex<Option<Cause>>>);

impl Raised {
    /// Takes the cause; `None` the second time.
    pub(crate) fn take(&self) -> Option<Cause> {
        self.0.lock().ok()?.take()
    }
}

impl<R> IntoResponse for Problem<R> {
    fn into_response(self) -> Response {
        let mut response = status(self.cause.code()).into_response();
        if response.status() == StatusCode::UNAUTHORIZED {
            response.headers_mut().insert(
                header::WWW_AUTHENTICATE,
                HeaderValue::from_static(CHALLENGE),
            );
        }
        if let Some(seconds) = self.cause.retry_after() {
            response
                .headers_mut()
                .insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        for (name, value) in self.cause.quota().into_iter().flatten() {
            if let Ok(value) = HeaderValue::try_from(value) {
                response.headers_mut().insert(name, value);
            }
        }
        let raised = Raised(std::sync::Arc::new(std::sync::Mutex::new(Some(self.cause))));
        response.extensions_mut().insert(raised);
        response
    }
}
