//! `GET /api/openapi.json`

use axum::{
    http::{StatusCode, header},
    response::{IntoResponse, Response},
};
use shared::{
    endpoint::*,
    http::{
        describe_if_none_match,
        operation::{Answer, Description},
    },
};
use utoipa::openapi::{
    ObjectBuilder,
    schema::{AdditionalProperties, Type},
};

use crate::file::CURRENT;

/// The document, generated from the functions' routes; a test compares it with them.
const DOCUMENT: &str = include_str!("../../../infra/openapi.json");

/// Entity tag of the document.
const TAG: &str = concat!("\"", env!("DOCUMENT_DIGEST"), "\"");

/// The header with the entity tag, and its description.
const ETAG: (&str, &str) = ("ETag", "The digest of the document, for If-None-Match");

pub struct Document;

impl IntoResponse for Document {
    fn into_response(self) -> Response {
        let headers = [
            (header::CONTENT_TYPE, "application/json"),
            (header::CACHE_CONTROL, CURRENT),
            (header::ETAG, TAG),
        ];
        (headers, DOCUMENT).into_response()
    }
}

impl Answer for Document {
    fn describe(description: &mut Description) {
        let anything = ObjectBuilder::new()
            .schema_type(Type::Object)
            .additional_properties(Some(AdditionalProperties::FreeForm(true)));
        let about = "The OpenAPI document";
        description.success(StatusCode::OK, about, Some(anything.into()), &[ETAG]);
        describe_if_none_match(description, ETAG);
    }
}

/// Returns the OpenAPI 3.1 document of the API.
///
/// Open to everyone, without a session.
#[utoipa::path(get, path = "/api/openapi.json")]
pub async fn get_open_api(Query(()): Query<()>) -> Result<Document, Problem> {
    Ok(Document)
}
