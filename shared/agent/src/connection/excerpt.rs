//! Kept excerpts of target systems' answers.

use model::{
    base::span,
    people::{digest, journal::canonical},
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::ToSchema;

/// The kept excerpt of a target system's answer.
// Records name an excerpt by its hash. It is stored apart from them and expires, so no decision
// depends on it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[schema(as = TargetResponse)]
pub struct Excerpt {
    #[schema(value_type = i64, minimum = 100, maximum = 599)]
    pub status: u16,
    /// Members of the body that the connection keeps, up to 4 KiB. A larger body is the beginning
    /// of its text.
    pub body: Value,
}

impl Excerpt {
    /// Milliseconds for which an excerpt is kept after its answer.
    pub const KEPT: i64 = 90 * span::DAY;

    /// Returns the SHA-256 of its canonical JSON, in hexadecimal.
    pub fn hash(&self) -> String {
        digest(&canonical(
            &json!({ "status": self.status, "body": self.body }),
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hash(status: u16, body: Value) -> String {
        Excerpt { status, body }.hash()
    }

    #[test]
    fn an_excerpt_has_the_hash_of_its_canonical_json() {
        let expected = digest(r#"{"body":{"a":1,"b":null},"status":200}"#);
        assert_eq!(hash(200, json!({"b": null, "a": 1.0})), expected);
        assert_ne!(hash(201, json!({"b": null, "a": 1})), expected);
        assert_ne!(hash(200, json!({"a": 1})), expected);
    }
}
