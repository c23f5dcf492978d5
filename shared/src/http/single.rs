//! Single records, each with its version as the entity tag (RFC 9110, 8.8.3).

use ::http::{HeaderValue, Method, StatusCode, header};
use axum::{
    Json,
    response::{IntoResponse, Response},
};
use model::base::Code;
use serde::Serialize;
use store::base::Versioned;
use utoipa::{ToSchema, openapi::path::ParameterIn};

use crate::http::operation::{Answer, Description, about, text};

/// 200 with a record.
#[derive(Debug)]
pub struct Single<T>(pub T);

/// The header of an answer with a record, and its description.
pub(super) const ETAG: (&str, &str) = (
    "ETag",
    "The record's version in quotes, for If-Match of the next change",
);

/// Adds the entity tag of a version.
pub(super) fn tagged(mut response: Response, version: i64) -> Response {
    if let Ok(tag) = HeaderValue::try_from(format!("\"{version}\"")) {
        response
            .headers_mut()
            .insert(header::ETAG, tag);
    }
    response
}

impl<T: Serialize + Versioned> IntoResponse for Single<T> {
    fn into_response(self) -> Response {
        let version = self.0.version();
        tagged(Json(self.0).into_response(), version)
    }
}

/// Describes the condition that a `GET` takes, and its answer, with the entity tag's header.
pub fn describe_if_none_match(description: &mut Description, etag: (&str, &str)) {
    if description.method != Method::GET {
        return;
    }
    // No pattern: a malformed value is no fault, but no condition.
    let about = "The `ETag` of the answer as the client has it; 304 if that is the newest.";
    description.parameter(ParameterIn::Header, "If-None-Match", false, text(), about);
    let about = "The answer has not changed";
    description.success(StatusCode::NOT_MODIFIED, about, None, &[etag]);
}

impl<T: ToSchema> Answer for Single<T> {
    fn describe(description: &mut Description) {
        let schema = description.schema::<T>();
        // A replay answers the record as it is now.
        if description.may_be_repeated {
            description.problems(&[Code::NotFound]);
        }
        description.success(StatusCode::OK, &about::<T>(), Some(schema), &[ETAG]);
        describe_if_none_match(description, ETAG);
    }
}

/// 204 with the entity tag of a changed record.
#[derive(Clone, Copy, Debug)]
pub struct Changed(
    /// The version of the record, as it is now.
    pub i64,
);

impl IntoResponse for Changed {
    fn into_response(self) -> Response {
        tagged(StatusCode::NO_CONTENT.into_response(), self.0)
    }
}

impl Answer for Changed {
    fn describe(description: &mut Description) {
        description.success(StatusCode::NO_CONTENT, "Done", None, &[ETAG]);
    }
}
