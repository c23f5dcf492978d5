//! `GET /api/openapi.json`

use axum::{
    http::{HeaderName, header},
    response::IntoResponse,
};
use shared::{
    Problem,
    http::{NoQuery, Query},
};

/// Generated from the functions' routes; a test holds it against them.
const DOCUMENT: &str = include_str!("../../../infra/openapi.json");

/// Describes the API in OpenAPI 3.1.
#[utoipa::path(
    get, path = "/api/openapi.json", operation_id = "getOpenApi", tag = "auth", security(),
    responses((status = 200, description = "The OpenAPI document", body = Object))
)]
pub async fn openapi(Query(NoQuery): Query<NoQuery>) -> Result<impl IntoResponse, Problem> {
    const JSON: [(HeaderName, &str); 1] = [(header::CONTENT_TYPE, "application/json")];
    Ok((JSON, DOCUMENT))
}
