//! View of an answer of a target system.

use serde::Serialize;
use serde_json::Value;
use shared::model::{JsonObject, JsonText};
use utoipa::ToSchema;

/// An answer of a target system.
#[derive(Debug, Serialize, ToSchema)]
pub struct TargetResponse {
    /// HTTP status.
    #[schema(minimum = 100, maximum = 599, examples(200))]
    status: i64,
    /// Body: JSON, or the beginning of it as text.
    body: Value,
}

impl From<JsonText> for TargetResponse {
    fn from(JsonText(JsonObject(mut kept)): JsonText) -> Self {
        Self {
            status: kept
                .get("status")
                .and_then(Value::as_i64)
                .unwrap_or_default(),
            body: kept.remove("body").unwrap_or_default(),
        }
    }
}
