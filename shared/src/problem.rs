//! Problems: the answers to requests that fail.

use std::marker::PhantomData;

use model::base::{Code, Error, Fault, quota::WINDOW_SECONDS};

/// The failure of an operation. `R` names the [refusals](crate::http::refusal) that do not follow
/// from the operation's arguments, for the API's document.
#[derive(Debug)]
pub struct Problem<R = ()> {
    pub cause: Cause,
    refusals: PhantomData<fn() -> R>,
}

/// The service refuses or fails, or HTTP itself demands it.
#[derive(Debug, thiserror::Error)]
pub enum Cause {
    #[error(transparent)]
    Service(#[from] Error),
    /// A page of another site uses the session.
    #[error("cross-site request")]
    CrossSite { origin: Option<String> },
    /// The deployment is paused, and the operation writes.
    #[error("paused")]
    Paused,
    /// The path exists, the method does not.
    #[error("method not allowed")]
    MethodNotAllowed,
    /// The body is larger than the service reads.
    #[error("body too large")]
    TooLarge,
    /// The body is not declared as JSON.
    #[error("unsupported media type")]
    UnsupportedMediaType,
}

impl<R> From<Error> for Problem<R> {
    fn from(error: Error) -> Self {
        Cause::from(error).into()
    }
}

impl<R> From<Cause> for Problem<R> {
    fn from(cause: Cause) -> Self {
        Self {
            cause,
            refusals: PhantomData,
        }
    }
}

impl Cause {
    pub const fn code(&self) -> Code {
        match self {
            Self::Service(error) => match error {
                Error::Invalid(_) => Code::ValidationError,
                Error::Unauthenticated => Code::Unauthenticated,
                Error::WrongCredentials => Code::InvalidCredentials,
                Error::Forbidden { code, .. } | Error::Conflict { code, .. } => *code,
                Error::NotFound(_) => Code::NotFound,
                Error::CursorExpired => Code::CursorExpired,
                Error::PreconditionFailed => Code::PreconditionFailed,
                Error::KeyReused => Code::IdempotencyKeyReused,
                Error::UnderWay => Code::RequestUnderWay,
                Error::TooManyRequests { .. } => Code::TooManyAttempts,
                Error::RateLimited { .. } | Error::MailLimit { .. } => Code::RateLimited,
                Error::Unavailable { .. } => Code::Unavailable,
                Error::Internal { .. } => Code::InternalError,
            },
            Self::CrossSite { .. } => Code::CrossSite,
            Self::Paused => Code::Paused,
            Self::MethodNotAllowed => Code::MethodNotAllowed,
            Self::TooLarge => Code::BodyTooLarge,
            Self::UnsupportedMediaType => Code::UnsupportedMediaType,
        }
    }

    /// The text for the client: the fault, and what to do.
    pub fn detail(&self) -> String {
        let fixed = match self {
            Self::Service(error) => match error {
                Error::Invalid(faults) => {
                    return match faults.as_slice() {
                        [fault] => fault.detail.clone(),
                        faults => format!("The request has {} faults; see `errors`.", faults.len()),
                    };
                }
                Error::NotFound(noun) => return format!("There is no such {noun}."),
                Error::TooManyRequests { retry_after } | Error::MailLimit { retry_after } => {
                    return format!("Try again in {retry_after} seconds.");
                }
                Error::RateLimited {
                    policy,
                    quota,
                    retry_after,
                } => {
                    return format!(
                        "The {policy} used its {quota} table units of {WINDOW_SECONDS} seconds. Try again in \
                         {retry_after} seconds."
                    );
                }
                Error::Forbidden { detail, .. } | Error::Conflict { detail, .. } => detail,
                Error::Unauthenticated => "Sign in, or send a token that has not expired.",
                Error::WrongCredentials => "The username or the password is wrong.",
                Error::CursorExpired => {
                    "The cursor is too old. Read the lists again, and begin the feed without it."
                }
                Error::PreconditionFailed => {
                    "The record has a version that If-Match or If-None-Match excludes. Read it again."
                }
                Error::KeyReused => {
                    "This Idempotency-Key was used with another path or body. Send another key."
                }
                Error::UnderWay => {
                    "A request with this Idempotency-Key is under way. Send it again shortly."
                }
                Error::Unavailable { .. } => {
                    "The service cannot answer at the moment. Try again shortly."
                }
                Error::Internal { .. } => "The service failed. Report the request id.",
            },
            Self::CrossSite {
                origin: Some(origin),
            } => return format!("The origin {origin} is not in AllowedOrigins."),
            Self::CrossSite { origin: None } => "A page of another site cannot do this.",
            Self::Paused => {
                "The service is paused by its operator. Reads are answered. Try again later."
            }
            Self::MethodNotAllowed => "This path does not take this method. See Allow.",
            Self::TooLarge => "The body is over 256 KiB.",
            Self::UnsupportedMediaType => "Send JSON, with Content-Type: application/json.",
        };
        fixed.to_owned()
    }

    /// Seconds until a retry, where one helps.
    pub const fn retry_after(&self) -> Option<u64> {
        match self {
            Self::Service(
                Error::TooManyRequests { retry_after }
                | Error::MailLimit { retry_after }
                | Error::RateLimited { retry_after, .. },
            ) => Some(*retry_after),
            Self::Service(Error::Unavailable { .. } | Error::UnderWay) => Some(1),
            Self::Paused => Some(60),
            _ => None,
        }
    }

    /// The headers of a used quota: its policy, and what is left of it
    /// (draft-ietf-httpapi-ratelimit-headers).
    pub fn quota(&self) -> Option<QuotaHeaders> {
        match self {
            Self::Service(Error::RateLimited {
                policy,
                quota,
                retry_after,
            }) => Some(quota_headers(policy, *quota, 0, *retry_after)),
            _ => None,
        }
    }

    /// The faults of what was sent.
    pub fn faults(self) -> Vec<Fault> {
        match self {
            Self::Service(Error::Invalid(faults)) => faults,
            _ => Vec::new(),
        }
    }

    /// The text for the log, which the client does not see.
    pub fn chain(&self) -> String {
        match self {
            Self::Service(error) => error.chain(),
            other => other.to_string(),
        }
    }
}

pub(crate) type QuotaHeaders = [(&'static str, String); 2];

/// The headers of a quota: its policy, and the units that are left for so many seconds.
pub(crate) fn quota_headers(policy: &str, quota: u32, left: u32, seconds: u64) -> QuotaHeaders {
    let rule = format!("\"{policy}\";q={quota};w={WINDOW_SECONDS};qu=\"table-units\"");
    let left = format!("\"{policy}\";r={left};t={seconds}");
    [("ratelimit-policy", rule), ("ratelimit", left)]
}
