//! Why a request is not answered as it asked.

use model::Error;

/// What an operation answers with instead of what it was asked for: the service refuses or fails, or
/// HTTP itself demands it. [`crate::http::problem`] is the one place that knows their statuses.
#[derive(Debug, thiserror::Error)]
pub enum Problem {
    /// The service refuses, or fails.
    #[error(transparent)]
    Service(#[from] Error),
    /// 403: another site's page uses the session.
    #[error("cross-site request")]
    CrossSite,
    /// 405: the path exists, the method does not.
    #[error("method not allowed")]
    MethodNotAllowed,
    /// 413: the body is larger than the service reads.
    #[error("body too large")]
    TooLarge,
    /// 415: the body is not declared as JSON.
    #[error("unsupported media type")]
    UnsupportedMediaType,
}
