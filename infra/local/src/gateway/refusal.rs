//! Errors that the gateway answers itself.

use axum::{
    Json,
    response::{IntoResponse, Response},
};
use http::{HeaderValue, StatusCode, header, request::Parts};
use serde_json::json;
use shared::{Error, http::problem::ProblemDetails, problem::Cause};

use crate::function::InvocationError;

/// An error of the gateway.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    /// The body is incomplete, or the path has a wrong escape.
    BadRequest,
    /// The body is larger than API Gateway accepts, or the event larger than Lambda accepts.
    TooLarge,
    /// No route matches the request, and there is no `$default`.
    NoRoute,
    /// The function failed, or its answer cannot be read or is too large.
    Failed,
    /// The function exceeded API Gateway's time limit.
    TimedOut,
    /// The function's process has ended and restarts shortly.
    Unavailable,
}

impl From<InvocationError> for Refusal {
    fn from(error: InvocationError) -> Self {
        match error {
            InvocationError::Ended { .. } | InvocationError::NoAnswer { .. } => Self::Unavailable,
            InvocationError::TimedOut { .. } => Self::TimedOut,
            InvocationError::Failed { .. } => Self::Failed,
        }
    }
}

impl Refusal {
    pub(super) fn response(self, request: &Parts, request_id: &str) -> Response {
        let (status, message) = match self {
            Self::BadRequest => (StatusCode::BAD_REQUEST, "Bad Request"),
            Self::TooLarge => (StatusCode::PAYLOAD_TOO_LARGE, "Request Entity Too Large"),
            Self::NoRoute => (StatusCode::NOT_FOUND, "Not Found"),
            Self::Failed => (StatusCode::INTERNAL_SERVER_ERROR, "Internal Server Error"),
            Self::TimedOut => (StatusCode::SERVICE_UNAVAILABLE, "Service Unavailable"),
            Self::Unavailable => return unavailable(request.uri.path(), request_id),
        };
        (status, Json(json!({ "message": message }))).into_response()
    }
}

/// Returns the 503 problem that the service itself gives if a dependency is not available.
fn unavailable(path: &str, request_id: &str) -> Response {
    let cause = Cause::Service(Error::Unavailable {
        what: "the function",
        source: "its process has ended".into(),
    });
    let problem = ProblemDetails::of(cause, path, request_id);
    let mut response = (StatusCode::SERVICE_UNAVAILABLE, Json(problem)).into_response();
    let headers = response.headers_mut();
    let fixed = [
        (header::CONTENT_TYPE, "application/problem+json"),
        (header::RETRY_AFTER, "1"),
        (header::CACHE_CONTROL, "no-store"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ];
    for (name, value) in fixed {
        headers.insert(name, HeaderValue::from_static(value));
    }
    if let Ok(id) = HeaderValue::try_from(request_id) {
        headers.insert("x-request-id", id);
    }
    response
}
