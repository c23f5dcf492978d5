//! The JSON body of a request.

use axum::extract::{FromRequest, Request};
use http::{HeaderMap, header};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use model::{
    Code, Error, Fault, FaultCode,
    input::{self, Input},
};

use super::operation::{Argument, Description};
use crate::{Problem, problem::Cause};

/// The most bytes of a body that the service reads: 256 KiB.
pub(crate) const MOST_BYTES: usize = 256 * 1024;

/// A validated body. 415 unless it is declared as JSON, 413 over 256 KiB, 400 with every fault.
#[derive(Debug)]
pub struct Body<T>(pub T);

impl<S: Send + Sync, T: Input> FromRequest<S> for Body<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, _: &S) -> Result<Self, Problem> {
        let (parts, body) = request.into_parts();
        if !is_json(&parts.headers) {
            return Err(Cause::UnsupportedMediaType.into());
        }
        let bytes = match Limited::new(body, MOST_BYTES).collect().await {
            Ok(body) => body.to_bytes(),
            Err(error) if error.is::<LengthLimitError>() => return Err(Cause::TooLarge.into()),
            Err(_) => {
                let fault = Fault {
                    pointer: String::new(),
                    code: FaultCode::Unreadable,
                    detail: "The body could not be read to its end. Send it again.".to_owned(),
                };
                return Err(Error::invalid(fault).into());
            }
        };
        Ok(Self(input::parse(&bytes).map_err(Error::Invalid)?))
    }
}

impl<T: Input> Argument for Body<T> {
    fn describe(description: &mut Description) {
        description.body(T::field_schema());
        description.schemas(T::field_schemas);
        let problems = [
            Code::ValidationError,
            Code::BodyTooLarge,
            Code::UnsupportedMediaType,
        ];
        description.problems(&problems);
    }
}

/// Returns `true` if the content is declared as `application/json` or another type in JSON syntax.
fn is_json(headers: &HeaderMap) -> bool {
    let Some(Ok(declared)) = headers
        .get(header::CONTENT_TYPE)
        .map(|value| value.to_str())
    else {
        return false;
    };
    let essence = declared
        .split(';')
        .next()
        .unwrap_or_default()
        .trim()
        .to_ascii_lowercase();
    essence == "application/json"
        || (essence.starts_with("application/") && essence.ends_with("+json"))
}
