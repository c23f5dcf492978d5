//! The `Prefer` header (RFC 7240), as far as it says how long a client waits.

use std::{convert::Infallible, time::Duration};

use axum::extract::FromRequestParts;
use http::{HeaderMap, request::Parts};
use shared::http::operation::{Argument, Description};
use utoipa::openapi::{ObjectBuilder, path::ParameterIn, schema::Type};

/// How long the answer may wait for results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wait(pub Duration);

impl Wait {
    const DEFAULT: u64 = 10;
    const MOST: u64 = 20;

    /// `wait=N` in seconds, held within 20; else `respond-async`, which is 0; else 10. What does
    /// not read is ignored, as the RFC wants it.
    fn of(headers: &HeaderMap) -> Self {
        let mut wait = None;
        let mut respond_async = false;
        for value in headers.get_all("prefer") {
            for preference in value.to_str().unwrap_or_default().split([',', ';']) {
                let (name, value) = preference.split_once('=').unwrap_or((preference, ""));
                match name.trim().to_ascii_lowercase().as_str() {
                    "respond-async" => respond_async = true,
                    "wait" => {
                        let seconds = value.trim().trim_matches('"').parse::<u64>().ok();
                        wait = wait.or(seconds);
                    }
                    _ => {}
                }
            }
        }
        let default = if respond_async { 0 } else { Self::DEFAULT };
        Self(Duration::from_secs(wait.unwrap_or(default).min(Self::MOST)))
    }
}

impl Argument for Wait {
    fn describe(description: &mut Description) {
        let schema = ObjectBuilder::new()
            .schema_type(Type::String)
            .description(Some("`wait=N` (seconds, 0 to 20) or `respond-async`"))
            .examples(["wait=5"]);
        description.parameter(ParameterIn::Header, "Prefer", false, schema.into());
    }
}

impl<S: Sync> FromRequestParts<S> for Wait {
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
            assert_eq!(Wait::of(&headers).0.as_secs(), seconds, "{prefer}");
        }
    }
}
