//! One text for equal JSON, for hashes.

use serde_json::Value;

/// Returns JSON without spaces, with members sorted by the bytes of their names. Equal values give
/// equal texts.
pub(super) fn canonical(value: &Value) -> String {
    match value {
        Value::Object(object) => {
            let mut members: Vec<(&String, &Value)> = object.iter().collect();
            members.sort_unstable_by_key(|(name, _)| *name);
            let members = members.into_iter().map(|(name, value)| {
                let name = Value::from(name.as_str());
                format!("{name}:{}", canonical(value))
            });
            format!("{{{}}}", members.collect::<Vec<_>>().join(","))
        }
        Value::Array(elements) => {
            let elements = elements.iter().map(canonical);
            format!("[{}]", elements.collect::<Vec<_>>().join(","))
        }
        scalar => scalar.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn canonical_json_has_one_text_for_a_value() {
        let value: Value =
            serde_json::from_str(r#"{ "b": [1, {"z": null, "a": "ü\n"}], "a": 1.5 }"#).unwrap();
        assert_eq!(
            canonical(&value),
            r#"{"a":1.5,"b":[1,{"a":"ü\n","z":null}]}"#
        );
    }
}
