//! What can go wrong, free of any transport.

use std::error::Error as StdError;

use serde::Serialize;
use utoipa::ToSchema;

use crate::{Code, FaultCode, WrongLength};

/// One thing that is wrong with a request, and where.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct Fault {
    /// Where: a JSON pointer (RFC 6901) into the body, `?name` for a query parameter, or a header's
    /// name.
    #[schema(examples("/title"))]
    pub pointer: String,
    /// What kind of fault it is.
    pub code: FaultCode,
    /// What was wrong and what to do, for a person.
    #[schema(examples("Send `title`."))]
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

    /// The field names a record that does not exist or is not the caller's.
    #[must_use]
    pub fn unknown(field: &str, noun: &str) -> Self {
        Self::at(
            field,
            FaultCode::Unknown,
            format!("There is no such {noun}."),
        )
    }
}

/// Every way in which an operation fails. What a variant holds in `detail` is written for the client;
/// a `source` never leaves the service.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// 401: no session, or one that ended.
    #[error("not authenticated")]
    Unauthenticated,
    /// 401: the username or the password is wrong; which of them stays unsaid.
    #[error("wrong username or password")]
    WrongCredentials,
    /// 403: the caller lacks a permission or a plan feature, or comes from a foreign site.
    #[error("permission denied: {detail}")]
    Forbidden {
        /// The reason.
        code: Code,
        /// What is missing.
        detail: String,
    },
    /// 400: what was sent does not fit the operation; all faults at once.
    #[error("invalid request: {0:?}")]
    Invalid(Vec<Fault>),
    /// 404: no record of that id, or one of another organization, which is the same.
    #[error("no such {0}")]
    NotFound(&'static str),
    /// 409: the record's state does not allow it.
    #[error("conflict: {detail}")]
    Conflict {
        /// The reason.
        code: Code,
        /// What stands in the way.
        detail: String,
    },
    /// 412: the record is no longer, or not yet, what the client wants to change.
    #[error("precondition failed")]
    PreconditionFailed,
    /// 422: the idempotency key was used for something else.
    #[error("idempotency key reused")]
    KeyReused,
    /// 409: a request with the same idempotency key is under way.
    #[error("a request with the same idempotency key is under way")]
    UnderWay,
    /// A request with the same idempotency key did it before. The store answers it with what was made
    /// then, so that nobody else sees it.
    #[error("done before, under the same idempotency key")]
    DoneBefore {
        /// The id of the record that was made; none where none was.
        made: Option<i64>,
    },
    /// 429: too many attempts; `retry_after` is in seconds.
    #[error("too many requests")]
    TooManyRequests {
        /// Seconds until the next attempt is heard.
        retry_after: u64,
    },
    /// 503: the table or the queue does not answer, or asks for patience.
    #[error("{what} cannot be reached")]
    Unavailable {
        /// Which of them.
        what: &'static str,
        /// Why.
        #[source]
        source: Source,
    },
    /// 500: a defect of the service or a record that does not read.
    #[error("internal error: {what}")]
    Internal {
        /// What was tried.
        what: &'static str,
        /// Why it failed.
        #[source]
        source: Source,
    },
}

/// The cause of a failure that the client is not told.
pub type Source = Box<dyn StdError + Send + Sync>;

impl Error {
    /// A defect: `what` was tried, `source` says why it failed.
    pub fn internal(what: &'static str, source: impl Into<Source>) -> Self {
        Self::Internal {
            what,
            source: source.into(),
        }
    }

    /// 409 with a stable code and a text for the client.
    pub fn conflict(code: Code, detail: impl Into<String>) -> Self {
        Self::Conflict {
            code,
            detail: detail.into(),
        }
    }

    /// 403 with a stable code and a text for the client.
    pub fn forbidden(code: Code, detail: impl Into<String>) -> Self {
        Self::Forbidden {
            code,
            detail: detail.into(),
        }
    }

    /// 400 with a single fault.
    #[must_use]
    pub fn invalid(fault: Fault) -> Self {
        Self::Invalid(vec![fault])
    }

    /// The record kept changing under the operation for as long as it was retried.
    #[must_use]
    pub fn contended() -> Self {
        Self::conflict(
            Code::ConcurrentChange,
            "The record was changed by somebody else at the same time; read it and try again.",
        )
    }

    /// The chain of sources, outermost first, for the log.
    #[must_use]
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

/// A text of the service's own does not fit where it is to stand.
impl From<WrongLength> for Error {
    fn from(error: WrongLength) -> Self {
        Self::internal("writing a record", error)
    }
}

/// An object that was sent does not fit; every fault of it.
impl From<Vec<Fault>> for Error {
    fn from(faults: Vec<Fault>) -> Self {
        Self::Invalid(faults)
    }
}
