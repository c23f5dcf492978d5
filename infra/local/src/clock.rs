//! The one place where the local stack reads the time.

use chrono::{DateTime, SecondsFormat, Utc};

/// The present instant.
pub(crate) fn now() -> DateTime<Utc> {
    Utc::now()
}

/// An instant with three decimals and `Z`.
pub(crate) fn rfc3339(instant: DateTime<Utc>) -> String {
    instant.to_rfc3339_opts(SecondsFormat::Millis, true)
}
