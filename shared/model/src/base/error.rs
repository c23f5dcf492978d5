//! Errors, independent of a transport.

use std::error::Error as StdError;

use serde::Serialize;
use utoipa::ToSchema;

use crate::base::{Code, FaultCode, WrongText};

/// A fault of a request: its place, code and explanation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct Fault {
    /// The place: a JSON pointer (RFC 6901) into the body, `?name` for a query parameter, or the
    /// name of a header.
    pub pointer: String,
    /// The stable name of the kind of fault.
    pub code: FaultCode,
    /// An explanation for people: the fault, and what to send instead.
    pub detail: String,
}

impl Fault {
    /// A fault at a field of the body's top level.
    pub fn at(field: &str, code: FaultCode, detail: impl Into<String>) -> Self {
        Self {
            pointer: format!("/{field}"),
            code,
            detail: detail.into(),
        }
    }

    /// A fault at a field that names no record of the caller's organization.
    pub fn unknown(field: &str, noun: &str) -> Self {
        let detail = format!("There is no such {noun}.");
        Self::at(field, FaultCode::Unknown, detail)
    }
}

/// The errors of operations. A `detail` is written for the client; a `source` never leaves the
/// service.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// 401: no session, or an ended one.
    #[error("not authenticated")]
    Unauthenticated,
    /// 401: the username or the password is wrong; which of them is not said.
    #[error("wrong username or password")]
    WrongCredentials,
    /// 403: the caller lacks a permission or a plan feature, or comes from a foreign site.
    #[error("permission denied: {detail}")]
    Forbidden {
        code: Code,
        /// The permission or feature that is missing.
        detail: String,
    },
    /// 400: the request does not fit the operation; all faults at once.
    #[error("invalid request: {0:?}")]
    Invalid(Vec<Fault>),
    /// 404: no record with this id in the caller's organization. Holds the noun of the record.
    #[error("no such {0}")]
    NotFound(&'static str),
    /// 409: the record's state does not allow it.
    #[error("conflict: {detail}")]
    Conflict {
        code: Code,
        /// The state that does not allow it.
        detail: String,
    },
    /// 410: entries after the cursor may have expired.
    #[error("cursor expired")]
    CursorExpired,
    /// 412: the record has another version than the client expects.
    #[error("precondition failed")]
    PreconditionFailed,
    /// 422: the idempotency key was used with another path or body.
    #[error("idempotency key reused")]
    KeyReused,
    /// 409: a request with the same idempotency key is under way.
    #[error("a request with the same idempotency key is under way")]
    UnderWay,
    /// 429: too many attempts; `retry_after` is in seconds.
    #[error("too many requests")]
    TooManyRequests { retry_after: u64 },
    /// 429: the mails of a period are sent; `retry_after` is in seconds.
    #[error("no mail is left")]
    MailLimit { retry_after: u64 },
    /// 429: the caller's quota is used up.
    #[error("the quota of the {policy} is used up")]
    RateLimited {
        /// The holder: `organization`, `user` or `token`.
        policy: &'static str,
        /// Table units in ten seconds.
        quota: u32,
        /// Seconds until units of the quota are free.
        retry_after: u64,
    },
    /// 503: the table or the queue does not answer, fails, or is throttled. The source tells which.
    #[error("{what} is not available")]
    Unavailable {
        what: &'static str,
        #[source]
        source: Source,
    },
    /// 500: a defect of the service, or a record that cannot be read.
    #[error("internal error: {what}")]
    Internal {
        what: &'static str,
        #[source]
        source: Source,
    },
}

/// The internal cause of a failure, which is not sent to the client.
pub type Source = Box<dyn StdError + Send + Sync>;

impl Error {
    /// 500: the `operation` failed because of `source`.
    pub fn internal(operation: &'static str, source: impl Into<Source>) -> Self {
        let source = source.into();
        Self::Internal {
            what: operation,
            source,
        }
    }

    /// 409 with a stable code and a text for the client.
    pub fn conflict(code: Code, detail: impl Into<String>) -> Self {
        let detail = detail.into();
        Self::Conflict { code, detail }
    }

    /// 403 with a stable code and a text for the client.
    pub fn forbidden(code: Code, detail: impl Into<String>) -> Self {
        let detail = detail.into();
        Self::Forbidden { code, detail }
    }

    /// 400 with a single fault.
    pub fn invalid(fault: Fault) -> Self {
        Self::Invalid(vec![fault])
    }

    /// 400 with these faults, if there are any.
    pub fn unless_valid(faults: Vec<Fault>) -> Result<(), Self> {
        if faults.is_empty() {
            return Ok(());
        }
        Err(Self::Invalid(faults))
    }

    /// 409: other requests changed the record in every attempt.
    pub fn contended() -> Self {
        let detail = "Another request changed the record at the same time. Read it and try again.";
        Self::conflict(Code::ConcurrentChange, detail)
    }

    /// The error and its sources, outermost first, for the log.
    pub fn chain(&self) -> String {
        let mut text = self.to_string();
        let mut next = StdError::source(self);
        while let Some(source) = next {
            text.push_str(": ");
            text.push_str(&source.to_string());
            next = source.source();
        }
        text
    }
}

/// A text that the service itself wrote does not fit its field.
impl From<WrongText> for Error {
    fn from(error: WrongText) -> Self {
        Self::internal("writing a record", error)
    }
}

/// 400 with every fault of an object.
impl From<Vec<Fault>> for Error {
    fn from(faults: Vec<Fault>) -> Self {
        Self::Invalid(faults)
    }
}
