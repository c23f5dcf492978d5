//! Errors as answers: `application/problem+json` (RFC 9457), and the one place that knows which
//! error has which status.

use std::borrow::Cow;

use axum::response::{IntoResponse, Response};
use http::{HeaderValue, StatusCode, header};
use model::{Error, Fault};
use serde::Serialize;
use utoipa::ToSchema;

use crate::Problem;

/// The body of every answer that is not a success.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = Problem)]
#[serde(rename_all = "camelCase")]
pub struct ProblemDetails {
    /// A URI reference that names the kind of problem.
    #[serde(rename = "type")]
    #[schema(examples("urn:workdesk:problem:validation_error"))]
    pub kind: String,
    /// The status in words.
    pub title: &'static str,
    /// The HTTP status.
    pub status: u16,
    /// What was wrong and what to do.
    pub detail: String,
    /// The path that was asked for.
    pub instance: String,
    /// A stable name of the problem.
    #[schema(value_type = String, examples("validation_error"))]
    pub code: Cow<'static, str>,
    /// Names this request in the service's log.
    pub request_id: String,
    /// Every fault of what was sent; only for validation errors.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<Fault>,
    /// The same as `detail`.
    pub message: String,
}

/// An error on its way out. The outermost layer, which knows the request, writes the body.
#[derive(Clone, Debug)]
pub(super) struct Raised {
    pub(super) code: &'static str,
    pub(super) title: &'static str,
    pub(super) detail: String,
    pub(super) errors: Vec<Fault>,
    /// What the log says and the client does not see.
    pub(super) cause: String,
}

impl Raised {
    /// The body for the request it was raised by.
    pub(super) fn problem(
        self,
        status: StatusCode,
        path: &str,
        request_id: &str,
    ) -> ProblemDetails {
        ProblemDetails {
            kind: format!("urn:workdesk:problem:{}", self.code),
            title: self.title,
            status: status.as_u16(),
            message: self.detail.clone(),
            detail: self.detail,
            instance: path.to_owned(),
            code: self.code.into(),
            request_id: request_id.to_owned(),
            errors: self.errors,
        }
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let cause = match &self {
            Self::Service(error) => error.chain(),
            other => other.to_string(),
        };
        let (status, code, title, detail) = match &self {
            Self::Service(Error::Invalid(faults)) => (
                StatusCode::BAD_REQUEST,
                "validation_error",
                "Validation error",
                match faults.as_slice() {
                    [fault] => fault.detail.clone(),
                    faults => format!("{} things are wrong; see errors.", faults.len()),
                },
            ),
            Self::Service(Error::Unauthenticated) => (
                StatusCode::UNAUTHORIZED,
                "unauthenticated",
                "Not authenticated",
                "Sign in first.".to_owned(),
            ),
            Self::Service(Error::WrongCredentials) => (
                StatusCode::UNAUTHORIZED,
                "invalid_credentials",
                "Not authenticated",
                "The username or the password is wrong.".to_owned(),
            ),
            Self::Service(Error::Forbidden { code, detail }) => (
                StatusCode::FORBIDDEN,
                *code,
                "Permission denied",
                detail.clone(),
            ),
            Self::Service(Error::NotFound(noun)) => (
                StatusCode::NOT_FOUND,
                "not_found",
                "Not found",
                format!("There is no such {noun}."),
            ),
            Self::CrossSite => (
                StatusCode::FORBIDDEN,
                "cross_site",
                "Permission denied",
                "Another site cannot use your session.".to_owned(),
            ),
            Self::MethodNotAllowed => (
                StatusCode::METHOD_NOT_ALLOWED,
                "method_not_allowed",
                "Method not allowed",
                "This path does not take this method; see Allow.".to_owned(),
            ),
            Self::Service(Error::Conflict { code, detail }) => {
                (StatusCode::CONFLICT, *code, "Conflict", detail.clone())
            }
            Self::TooLarge => (
                StatusCode::PAYLOAD_TOO_LARGE,
                "body_too_large",
                "Body too large",
                "Send at most 256 KiB.".to_owned(),
            ),
            Self::UnsupportedMediaType => (
                StatusCode::UNSUPPORTED_MEDIA_TYPE,
                "unsupported_media_type",
                "Unsupported media type",
                "Send JSON, with Content-Type: application/json.".to_owned(),
            ),
            Self::Service(Error::TooManyRequests { retry_after }) => (
                StatusCode::TOO_MANY_REQUESTS,
                "too_many_attempts",
                "Too many attempts",
                format!("Try again in {retry_after} seconds."),
            ),
            Self::Service(Error::Unavailable { .. }) => (
                StatusCode::SERVICE_UNAVAILABLE,
                "unavailable",
                "Unavailable",
                "The service cannot answer at the moment; try again shortly.".to_owned(),
            ),
            Self::Service(Error::Internal { .. }) => (
                StatusCode::INTERNAL_SERVER_ERROR,
                "internal_error",
                "Server error",
                "Something went wrong on our side; the request id names it.".to_owned(),
            ),
        };
        let retry_after = match &self {
            Self::Service(Error::TooManyRequests { retry_after }) => Some(*retry_after),
            Self::Service(Error::Unavailable { .. }) => Some(1),
            _ => None,
        };
        let errors = match self {
            Self::Service(Error::Invalid(faults)) => faults,
            _ => Vec::new(),
        };
        let mut response = status.into_response();
        if let Some(seconds) = retry_after {
            response
                .headers_mut()
                .insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        response.extensions_mut().insert(Raised {
            code,
            title,
            detail,
            errors,
            cause,
        });
        response
    }
}
