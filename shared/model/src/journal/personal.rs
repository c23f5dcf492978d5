//! Names and addresses in the organization's journal. The chain has a digest of each; the value and the
//! key of the digest stand beside the entry until they are erased. Then all values are equally likely.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::ToSchema;

use super::canonical;
use crate::{JsonText, digest};

/// Members of `before` and `after` that name a person.
pub(super) const NAMES: [&str; 3] = ["email", "fullName", "username"];

/// The member of an object that stands for a name.
const DIGEST: &str = "digest";

/// The names of an entry, and the key of their digests.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Personal {
    pub key: String,
    pub before: JsonText,
    pub after: JsonText,
}

/// The members of an entry whose hash covers their digests: `{"digest": …}` has the SHA-256 of the canonical
/// JSON of `[key, member, value]`.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(examples(json!({"key": "Zk3uWc1xQkG8", "members": ["fullName", "username"]})))]
pub struct DigestedMembers {
    pub key: String,
    /// Their names, sorted.
    pub members: Vec<String>,
}

pub(super) fn members(
    fields: &mut Option<JsonText>,
) -> impl Iterator<Item = (&String, &mut Value)> {
    fields.iter_mut().flat_map(|fields| fields.0.0.iter_mut())
}

pub(super) fn digested(key: &str, name: &str, value: &Value) -> Value {
    json!({ DIGEST: digest(&canonical(&json!([key, name, value]))) })
}
