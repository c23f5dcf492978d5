//! Errors of invocations.

use std::time::Duration;

/// An invocation gave no result.
#[derive(Debug, thiserror::Error)]
pub enum InvocationError {
    /// There was no answer.
    #[error("{function} gave no answer: {source}")]
    NoAnswer {
        /// Name of the function.
        function: String,
        /// Error of the HTTP client.
        source: reqwest::Error,
    },
    /// The function's process ended; it restarts by itself.
    #[error("the process of {function} has ended: {message}")]
    Ended {
        /// Name of the function.
        function: String,
        /// Exit status or signal.
        message: String,
    },
    /// The function exceeded its time.
    #[error("{function} did not answer within {within:?}")]
    TimedOut {
        /// Name of the function.
        function: String,
        /// Time limit.
        within: Duration,
    },
    /// The function failed or does not exist.
    #[error("{function} failed: {problem}")]
    Failed {
        /// Name of the function.
        function: String,
        /// Its error.
        problem: String,
    },
}
