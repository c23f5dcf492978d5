//! The `Prefer` header (RFC 7240): `wait` and `respond-async`.

use std::{convert::Infallible, time::Duration};

use axum::{
    extract::FromRequestParts,
    http::{HeaderMap, request::Parts},
};
use shared::http::{
    operation::{Argument, Description},
    prefer::preferences,
};

/// Time for which the answer waits for results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PreferredWait(pub Duration);

impl PreferredWait {
    const DEFAULT: u64 = 10;
    const MOST: u64 = 20;

    /// Reads `wait=N` in seconds, at most 20; else 0 for `respond-async`; else 10. Ignores what
    /// does not parse, as the RFC requires.
    fn of(headers: &HeaderMap) -> Self {
        let mut wait = None;
        let mut default = Self::DEFAULT;
        for (name, value) in preferences(headers) {
            match name.as_str() {
                "respond-async" => default = 0,
                "wait" => wait = wait.or(value.parse().ok()),
                _ => {}
            }
        }
        Self(Duration::from_secs(wait.unwrap_or(default).min(Self::MOST)))
    }
}

impl Argument for PreferredWait {
    fn describe(description: &mut Description) {
        let about = "Time to wait for results: `wait=N` (seconds, 0 to 20; 10 by default) or \
                     `respond-async`, which does not wait.";
        description.preference("wait=5", about);
    }
}

impl<S: Sync> FromRequestParts<S> for PreferredWait {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        Ok(Self::of(&parts.headers))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_says_how_long_it_waits() {
        for (prefer, seconds) in [
            ("", 10),
            ("wait=3", 3),
            ("wait=0", 0),
            ("Wait=\"7\"", 7),
            ("wait=99", 20),
            ("respond-async", 0),
            ("respond-async, wait=5", 5),
            ("wait=-1", 10),
            ("wait=soon", 10),
            ("return=minimal; wait=4", 4),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert("prefer", prefer.parse().unwrap());
            assert_eq!(PreferredWait::of(&headers).0.as_secs(), seconds, "{prefer}");
        }
    }
}
