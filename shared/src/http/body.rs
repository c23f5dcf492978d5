use std::sync::{Arc, OnceLock};

use ::http::{HeaderMap, HeaderValue, Method, header, request::Parts};
use axum::extract::{FromRequest, Request};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use model::base::{
    Code, Error, FaultCode,
    input::{self, Field, Fields, Input},
};

use crate::{
    Problem,
    http::{
        operation::{Argument, Description},
        prefer::{STRICT, StrictHandling},
        problem::invalid,
    },
    problem::Cause,
};

/// The most bytes of a body that the service reads: 256 KiB.
pub(crate) const MOST_BYTES: usize = 256 * 1024;

/// A validated body. 415 unless it is declared as JSON, 413 over 256 KiB, 400 with every fault.
/// Members that the operation does not read are faults of a request with `Prefer: handling=strict`.
#[derive(Debug)]
pub struct Body<T>(pub T);

impl<S: Send + Sync, T: Input> FromRequest<S> for Body<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, _: &S) -> Result<Self, Problem> {
        let (parts, body) = request.into_parts();
        if !is_json(&parts.headers) {
            return Err(Cause::UnsupportedMediaType.into());
        }
        let bytes = match Limited::new(body, MOST_BYTES)
            .collect()
            .await
        {
            Ok(body) => body.to_bytes(),
            Err(error) if error.is::<LengthLimitError>() => return Err(Cause::TooLarge.into()),
            Err(_) => {
                let detail = "The body could not be read to its end. Send it again.";
                return Err(invalid("", FaultCode::Unreadable, detail).into());
            }
        };
        let handling = StrictHandling::of_body(&parts.extensions);
        let (body, rest) = input::parse_with_rest(&bytes, handling).map_err(Error::Invalid)?;
        if let Some(of_caller) = parts.extensions.get::<Rest>() {
            of_caller.set(rest);
        }
        Ok(Self(body))
    }
}

/// The fields of a body that its operation does not read. Begun by the caller of a change, set by
/// the body.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rest(Arc<OnceLock<Fields>>);

impl Rest {
    /// Begins the rest of a request. A create has no record that its body could differ from.
    pub(crate) fn begin(parts: &mut Parts) -> Self {
        let rest = Self::default();
        if [Method::PATCH, Method::PUT].contains(&parts.method) {
            parts.extensions.insert(rest.clone());
        }
        rest
    }

    fn set(&self, fields: Fields) {
        // A request has one body.
        let _ = self.0.set(fields);
    }

    /// The fields, once the body was read.
    pub(crate) fn fields(&self) -> Fields {
        self.0
            .get()
            .cloned()
            .unwrap_or_default()
    }
}

impl<T: Input + Field> Argument for Body<T> {
    fn describe(description: &mut Description) {
        use Code::{BodyTooLarge, UnsupportedMediaType, ValidationError};
        description.body(T::field_schema());
        T::field_schemas(&mut description.schemas);
        let about =
            "`handling=strict` refuses members of the body that the operation does not read.";
        description.preference(STRICT, about);
        description.problems(&[ValidationError, BodyTooLarge, UnsupportedMediaType]);
    }
}

/// Returns `true` if the content is declared as `application/json` or another type in JSON syntax.
fn is_json(headers: &HeaderMap) -> bool {
    let declared = headers
        .get(header::CONTENT_TYPE)
        .map(HeaderValue::to_str);
    let Some(Ok(declared)) = declared else {
        return false;
    };
    let essence = declared
        .split(';')
        .next()
        .unwrap_or_default();
    let essence = essence.trim().to_ascii_lowercase();
    essence == "application/json"
        || (essence.starts_with("application/") && essence.ends_with("+json"))
}
