//! View of an answer of a target system.

use serde::Serialize;
use serde_json::Value;
use shared::agent::Excerpt;
use utoipa::ToSchema;

/// The kept excerpt of a target system's answer.
#[derive(Debug, Serialize, ToSchema)]
pub struct TargetResponse {
    /// HTTP status.
    #[schema(minimum = 100, maximum = 599, examples(200))]
    status: i64,
    /// Members of the body that the connection keeps, up to 4 KiB. A larger body is the beginning of
    /// its text.
    body: Value,
}

impl From<&Excerpt> for TargetResponse {
    fn from(excerpt: &Excerpt) -> Self {
        Self {
            status: excerpt.status.into(),
            body: excerpt.body.clone(),
        }
    }
}
