//! Constants of AWS Lambda.

/// Most bytes of an event or an answer as JSON, as Lambda counts them.
pub(crate) const MAX_PAYLOAD: usize = 6_291_556;

/// Lambda's error type for an invocation whose process ended.
pub(crate) const EXIT_ERROR: &str = "Runtime.ExitError";
