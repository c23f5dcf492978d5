//! The history of a record: an entry for each change. Entries never change.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use crate::{
    base::{HistoryOf, OrganizationId, Timestamp, UserId, characters::beginning},
    names,
};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HistoryEntry {
    /// The version of the record after the change.
    pub id: i64,
    pub organization_id: OrganizationId,
    pub of: HistoryOf,
    pub at: Timestamp,
    /// The user who made the change; none where the service itself did.
    pub actor: Option<UserId>,
    pub what: HistoryEvent,
    /// The changed fields, by name; empty for a record that was created or deleted.
    #[serde(default)]
    pub changes: Vec<FieldChange>,
}

names! {
    /// The kind of a change.
    pub enum HistoryEvent {
        Created: "The record was created.",
        Updated: "Fields of the record changed.",
        Deleted: "The record was deleted.",
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct FieldChange {
    /// The name of the field in bodies; `tagIds` for the tags.
    pub field: String,
    /// The old value; of a long text, the first 500 characters.
    #[schema(required = true, nullable = true)]
    pub from: Value,
    /// The new value; of a long text, the first 500 characters.
    #[schema(required = true, nullable = true)]
    pub to: Value,
}

impl FieldChange {
    /// The most characters of a text.
    pub const MOST: usize = 500;

    /// Returns the change, if the two values differ.
    pub fn between(field: &str, from: Value, to: Value) -> Option<Self> {
        (from != to).then(|| Self {
            field: field.to_owned(),
            from: cut(from),
            to: cut(to),
        })
    }
}

/// Cuts a text, an array or an object to the first [`FieldChange::MOST`] characters.
fn cut(value: Value) -> Value {
    let text = match value {
        Value::String(text) => text,
        Value::Array(_) | Value::Object(_) => {
            let text = value.to_string();
            if text
                .chars()
                .nth(FieldChange::MOST)
                .is_none()
            {
                return value;
            }
            text
        }
        _ => return value,
    };
    Value::String(beginning(&text, FieldChange::MOST).to_owned())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_the_same_is_no_change() {
        for same in [json!("a"), Value::Null] {
            assert_eq!(FieldChange::between("title", same.clone(), same), None);
        }
    }

    #[test]
    fn long_values_are_cut_at_a_character() {
        let long = "ä".repeat(501);
        let change = FieldChange::between("description", json!(long), Value::Null).unwrap();
        assert_eq!(change.from, json!("ä".repeat(500)));
        assert_eq!(change.to, Value::Null);
        let whole = FieldChange::between("description", Value::Null, json!("ä".repeat(500)));
        assert_eq!(whole.unwrap().to, json!("ä".repeat(500)));
        let ids: Vec<i64> = (1_000..1_200).collect();
        let many = FieldChange::between("tagIds", json!([1]), json!(ids)).unwrap();
        assert_eq!(many.from, json!([1]));
        assert_eq!(many.to.as_str().unwrap().len(), 500);
    }
}
