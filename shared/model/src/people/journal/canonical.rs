//! One text for equal JSON, for hashes.

use serde_json::Value;

/// Returns JSON without spaces, with members sorted by the bytes of their names. Equal values give
/// equal texts.
pub fn canonical(value: &Value) -> String {
    match value {
        Value::Object(object) => {
            let mut members: Vec<(&String, &Value)> = object.iter().collect();
            members.sort_unstable_by_key(|(name, _)| *name);
            let members = members
                .into_iter()
                .map(|(name, value)| {
                    let name = Value::from(name.as_str());
                    format!("{name}:{}", canonical(value))
                });
            format!("{{{}}}", members.collect::<Vec<_>>().join(","))
        }
        Value::Array(elements) => {
            let elements = elements.iter().map(canonical);
            format!("[{}]", elements.collect::<Vec<_>>().join(","))
        }
        // The table drops a fraction of zero, so 5000.0 comes back as 5000.
        Value::Number(number) if number.is_f64() => {
            let text = number.to_string();
            let whole = text.strip_suffix(".0").unwrap_or(&text);
            if whole == "-0" { "0" } else { whole }.to_owned()
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
        let expected = r#"{"a":1.5,"b":[1,{"a":"ü\n","z":null}]}"#;
        assert_eq!(canonical(&value), expected);
        // What is one number in the table is one text.
        let stored: Value = serde_json::from_str("[5000.0, -0.0, -7.0]").unwrap();
        assert_eq!(canonical(&stored), "[5000,0,-7]");
    }
}
