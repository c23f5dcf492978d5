//! `GET /api/openapi.json`

use axum::{
    http::{StatusCode, header},
    response::{IntoResponse, Response},
};
use shared::endpoint::*;
use shared::http::operation::{Answer, Description};
use utoipa::openapi::{
    ObjectBuilder,
    schema::{AdditionalProperties, Type},
};

/// The document, generated from the functions' routes; a test compares it with them.
const DOCUMENT: &str = include_str!("../../../infra/openapi.json");

/// Answer with the document.
pub struct Document;

impl IntoResponse for Document {
    fn into_response(self) -> Response {
        ([(header::CONTENT_TYPE, "application/json")], DOCUMENT).into_response()
    }
}

impl Answer for Document {
    fn describe(description: &mut Description) {
        let anything = ObjectBuilder::new()
            .schema_type(Type::Object)
            .additional_properties(Some(AdditionalProperties::FreeForm(true)));
        let about = "The OpenAPI document";
        description.success(StatusCode::OK, about, Some(anything.into()), &[]);
    }
}

/// Returns the OpenAPI 3.1 document of the API.
///
/// Open to everyone, without a session.
#[utoipa::path(get, path = "/api/openapi.json", operation_id = "getOpenApi")]
pub async fn openapi(Query(()): Query<()>) -> Result<Document, Problem> {
    Ok(Document)
}
