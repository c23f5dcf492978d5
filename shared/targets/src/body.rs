//! Form-encoded bodies.

use form_urlencoded::Serializer;
use serde_json::{Map, Value};

/// Encodes an object as a form: members of members are `a[b]`, elements `a[0]`. Null becomes an
/// empty text. Empty objects and arrays are omitted, since a form cannot express them.
pub(crate) fn form(body: &Map<String, Value>) -> String {
    let mut form = Serializer::new(String::new());
    for (name, value) in body {
        append(&mut form, name, value);
    }
    form.finish()
}

fn append(form: &mut Serializer<'_, String>, name: &str, value: &Value) {
    match value {
        Value::Object(members) => {
            for (member, value) in members {
                append(form, &format!("{name}[{member}]"), value);
            }
        }
        Value::Array(elements) => {
            for (at, value) in elements.iter().enumerate() {
                append(form, &format!("{name}[{at}]"), value);
            }
        }
        Value::Null => {
            form.append_pair(name, "");
        }
        Value::String(text) => {
            form.append_pair(name, text);
        }
        Value::Bool(_) | Value::Number(_) => {
            form.append_pair(name, &value.to_string());
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn members_and_elements_are_named_by_their_places() {
        let body = json!({
            "amount": 100, "live": true, "note": "a b&c=ü", "nothing": null, "empty": [],
            "lines": [{"price": "p_1"}, {"price": "p_2"}], "meta": {"a": {"b": 1.5}},
        });
        let written = form(body.as_object().unwrap());
        let pairs = form_urlencoded::parse(written.as_bytes());
        let pairs: std::collections::BTreeMap<_, _> = pairs.into_owned().collect();
        let expected = json!({
            "amount": "100", "lines[0][price]": "p_1", "lines[1][price]": "p_2", "live": "true",
            "meta[a][b]": "1.5", "note": "a b&c=ü", "nothing": "",
        });
        assert_eq!(json!(pairs), expected);
        assert!(!written.contains([' ', 'ü']), "{written}");
    }
}
