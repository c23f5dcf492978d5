//! Problems as answers: `application/problem+json` (RFC 9457), and the one place that knows which
//! code has which status.

use axum::response::{IntoResponse, Response};
use http::{HeaderValue, StatusCode, header};
use model::{Code, Fault};
use serde::Serialize;
use utoipa::ToSchema;

use crate::{Problem, problem::Cause};

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
    #[schema(examples("Validation error"))]
    pub title: &'static str,
    /// The HTTP status.
    #[schema(examples(400))]
    pub status: u16,
    /// What was wrong and what to do.
    #[schema(examples("Send `title`."))]
    pub detail: String,
    /// The path that was asked for.
    #[schema(examples("/api/tasks"))]
    pub instance: String,
    /// A stable name of the problem.
    pub code: Code,
    /// Names this request in the service's log.
    #[schema(examples("JKJaXmPLvHcESHA="))]
    pub request_id: String,
    /// Every fault of what was sent; only for validation errors.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    pub errors: Vec<Fault>,
    /// The same as `detail`.
    #[schema(examples("Send `title`."))]
    pub message: String,
}

impl ProblemDetails {
    /// The body for the request that raised it.
    #[must_use]
    pub fn of(cause: Cause, path: &str, request_id: &str) -> Self {
        let code = cause.code();
        let detail = cause.detail();
        Self {
            kind: format!("urn:workdesk:problem:{}", code.name()),
            title: title(code),
            status: status(code).as_u16(),
            message: detail.clone(),
            detail,
            instance: path.to_owned(),
            code,
            request_id: request_id.to_owned(),
            errors: cause.faults(),
        }
    }
}

/// The status of a problem.
#[must_use]
pub const fn status(code: Code) -> StatusCode {
    match code {
        Code::ValidationError => StatusCode::BAD_REQUEST,
        Code::Unauthenticated | Code::InvalidCredentials => StatusCode::UNAUTHORIZED,
        Code::PermissionDenied
        | Code::PlanFeatureUnavailable
        | Code::AccessDenied
        | Code::SessionRequired
        | Code::ApproverNotAllowed
        | Code::CrossSite => StatusCode::FORBIDDEN,
        Code::NotFound => StatusCode::NOT_FOUND,
        Code::MethodNotAllowed => StatusCode::METHOD_NOT_ALLOWED,
        Code::ConcurrentChange
        | Code::RequestUnderWay
        | Code::InvalidTransition
        | Code::TooManyTokens
        | Code::TooManyConnections
        | Code::UsernameTaken
        | Code::NameTaken
        | Code::LastAdmin
        | Code::ProjectArchived
        | Code::TicketClosed
        | Code::TooManyTags
        | Code::ProposalSuperseded
        | Code::SessionExpired
        | Code::SessionSuperseded
        | Code::AnalysisInterrupted
        | Code::OutcomeUnknown
        | Code::OutcomeKnown
        | Code::ActionAutomated
        | Code::AlreadyHandled
        | Code::ActionNotFailed
        | Code::OtherActionsApproved
        | Code::ContentChanged
        | Code::PolicyDenied
        | Code::CapReached => StatusCode::CONFLICT,
        Code::PreconditionFailed => StatusCode::PRECONDITION_FAILED,
        Code::IdempotencyKeyReused => StatusCode::UNPROCESSABLE_ENTITY,
        Code::BodyTooLarge => StatusCode::PAYLOAD_TOO_LARGE,
        Code::UnsupportedMediaType => StatusCode::UNSUPPORTED_MEDIA_TYPE,
        Code::TooManyAttempts => StatusCode::TOO_MANY_REQUESTS,
        Code::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
        Code::InternalError => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

/// The status in words.
pub(super) fn title(code: Code) -> &'static str {
    match status(code) {
        StatusCode::BAD_REQUEST => "Validation error",
        StatusCode::UNAUTHORIZED => "Not authenticated",
        StatusCode::FORBIDDEN => "Permission denied",
        StatusCode::NOT_FOUND => "Not found",
        StatusCode::METHOD_NOT_ALLOWED => "Method not allowed",
        StatusCode::PAYLOAD_TOO_LARGE => "Body too large",
        StatusCode::UNSUPPORTED_MEDIA_TYPE => "Unsupported media type",
        StatusCode::TOO_MANY_REQUESTS => "Too many attempts",
        StatusCode::SERVICE_UNAVAILABLE => "Unavailable",
        StatusCode::CONFLICT => "Conflict",
        StatusCode::PRECONDITION_FAILED => "Precondition failed",
        StatusCode::UNPROCESSABLE_ENTITY => "Idempotency key reused",
        _ => "Server error",
    }
}

/// What a 401 asks for, as RFC 9110 wants it to say. Browsers know no such scheme, and so open no
/// dialog of their own.
pub(super) const CHALLENGE: &str = "Bearer realm=\"workdesk\"";

/// A problem on its way out. The outermost layer, which knows the request, writes the body.
#[derive(Clone)]
pub(crate) struct Raised(std::sync::Arc<std::sync::Mutex<Option<Cause>>>);

impl Raised {
    /// The cause, once.
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
        let raised = Raised(std::sync::Arc::new(std::sync::Mutex::new(Some(self.cause))));
        response.extensions_mut().insert(raised);
        response
    }
}
