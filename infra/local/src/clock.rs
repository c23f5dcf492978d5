//! The one place where the local stack reads the time.

use chrono::{DateTime, SecondsFormat, Utc};

/// The present instant.
pub(crate) fn now() -> DateTime<Utc> {
    #[expect(
        clippy::disallowed_methods,
        reason = "this is the one place that reads it"
    )]
    Utc::now()
}

/// An instant with three decimals and `Z`.
pub(crate) fn rfc3339(instant: DateTime<Utc>) -> String {
    instant.to_rfc3339_opts(SecondsFormat::Millis, true)
}

/// An instant with whole seconds and `Z`, as scheduled events have it.
pub(crate) fn rfc3339_seconds(instant: DateTime<Utc>) -> String {
    instant.to_rfc3339_opts(SecondsFormat::Secs, true)
}
