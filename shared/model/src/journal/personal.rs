//! Names and addresses in the organization's journal. The chain has a digest of each; the value and the
//! key of the digest stand beside the entry until they are erased. Then all values are equally likely.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use utoipa::ToSchema;

use super::canonical;
use crate::{JsonObject, JsonText, OrganizationEntry, digest, random};

/// Members of `before` and `after` that name a person.
const NAMES: [&str; 3] = ["email", "fullName", "username"];

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

impl OrganizationEntry {
    /// Replaces names by their digests, and keeps them beside the entry.
    pub(super) fn digest_names(&mut self) {
        let key = random::token();
        let apart = |fields: &mut Option<JsonText>| {
            let mut names = Map::new();
            for (name, value) in members(fields) {
                if NAMES.contains(&name.as_str()) && !value.is_null() {
                    let digested = digested(&key, name, value);
                    names.insert(name.clone(), std::mem::replace(value, digested));
                }
            }
            JsonText(JsonObject(names))
        };
        let (before, after) = (apart(&mut self.before), apart(&mut self.after));
        let has_names = !(before.0.0.is_empty() && after.0.0.is_empty());
        self.personal = has_names.then_some(Personal { key, before, after });
    }

    /// Returns true if the names beside the entry are those of its digests.
    pub(super) fn has_its_names(&self) -> bool {
        let Some(personal) = &self.personal else {
            return true;
        };
        let fits = |fields: &Option<JsonText>, names: &JsonText| {
            let names = &mut names.0.0.iter();
            names.all(|(name, value)| {
                let own = fields.as_ref().and_then(|fields| fields.0.0.get(name));
                own == Some(&digested(&personal.key, name, value))
            })
        };
        fits(&self.before, &personal.before) && fits(&self.after, &personal.after)
    }

    /// Puts the names that stand beside the entry in place of their digests, to show it.
    pub fn show_names(&mut self) -> Option<DigestedMembers> {
        let Personal { key, before, after } = self.personal.take()?;
        let mut names: Vec<String> = Vec::new();
        for (fields, shown) in [(&mut self.before, before), (&mut self.after, after)] {
            for (name, value) in shown.0.0 {
                if let Some(fields) = fields {
                    fields.0.0.insert(name.clone(), value);
                }
                names.push(name);
            }
        }
        names.sort();
        names.dedup();
        Some(DigestedMembers {
            key,
            members: names,
        })
    }

    /// Erases the names of an entry. Returns the digest of what is left if the entry had names in its chain,
    /// as earlier releases wrote them: its own hash no longer follows from it.
    pub fn erase_names(&mut self) -> Option<String> {
        self.personal = None;
        let mut is_changed = false;
        for fields in [&mut self.before, &mut self.after] {
            for (name, value) in members(fields) {
                if NAMES.contains(&name.as_str()) && value.is_string() {
                    *value = json!({ "erased": true });
                    is_changed = true;
                }
            }
        }
        is_changed.then(|| self.digest_of_rest())
    }

    /// Returns the digest of the entry as it is, by which a later entry names an erased one.
    pub fn digest_of_rest(&self) -> String {
        digest(&canonical(&super::Chained::content(self)))
    }
}

fn members(fields: &mut Option<JsonText>) -> impl Iterator<Item = (&String, &mut Value)> {
    fields.iter_mut().flat_map(|fields| fields.0.0.iter_mut())
}

fn digested(key: &str, name: &str, value: &Value) -> Value {
    json!({ DIGEST: digest(&canonical(&json!([key, name, value]))) })
}
