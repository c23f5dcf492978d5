//! What holds within the document, whatever is asked and answered.

use std::collections::BTreeSet;

use serde_json::Value;

use super::schema::{DOCUMENT, Schema, resolved};

/// Every object below a value, each with where it stands.
fn objects<'a>(place: &str, value: &'a Value, found: &mut Vec<(String, &'a Value)>) {
    match value {
        Value::Object(members) => {
            found.push((place.to_owned(), value));
            for (name, member) in members {
                let name = name.replace('~', "~0").replace('/', "~1");
                objects(&format!("{place}/{name}"), member, found);
            }
        }
        Value::Array(values) => {
            for (at, value) in values.iter().enumerate() {
                objects(&format!("{place}/{at}"), value, found);
            }
        }
        _ => (),
    }
}

fn all_objects(value: &Value) -> Vec<(String, &Value)> {
    let mut found = Vec::new();
    objects("", value, &mut found);
    found
}

#[test]
fn a_problems_schema_names_the_codes_that_the_response_lists() {
    let mut seen = 0;
    for (place, response) in all_objects(&DOCUMENT) {
        let Some(codes) = response.get("x-codes") else {
            continue;
        };
        let schema = &response["content"]["application/problem+json"]["schema"];
        let parts = schema["allOf"].as_array().unwrap();
        let named = parts
            .iter()
            .find_map(|part| part.pointer("/properties/code"));
        assert_eq!(named.map(|code| &code["enum"]), Some(codes), "{place}");
        seen += 1;
    }
    assert!(seen > 10, "{seen}");
}

#[test]
fn every_problem_response_lists_its_codes() {
    for (path, item) in DOCUMENT["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let responses = operation["responses"].as_object().into_iter().flatten();
            for (status, response) in responses {
                let codes = resolved(response)["x-codes"].as_array();
                assert_eq!(
                    codes.is_some_and(|codes| !codes.is_empty()),
                    status.as_str() >= "400",
                    "{method} {path} {status}"
                );
            }
        }
    }
}

#[test]
fn every_example_fits_its_schema() {
    let mut seen = 0;
    for (place, schema) in all_objects(&DOCUMENT) {
        for example in schema["examples"].as_array().into_iter().flatten() {
            let faults = Schema::of_answer(schema).faults(example);
            assert!(faults.is_empty(), "{place}: {example}: {faults:?}");
            seen += 1;
        }
    }
    assert!(seen > 20, "{seen}");
}

#[test]
fn every_component_is_referred_to() {
    let mut found = BTreeSet::new();
    let mut open = vec![&DOCUMENT["paths"]];
    while let Some(next) = open.pop() {
        for (_, object) in all_objects(next) {
            if let Some(place) = object["$ref"].as_str()
                && found.insert(place.trim_start_matches('#').to_owned())
            {
                open.push(resolved(object));
            }
            for need in object["security"].as_array().into_iter().flatten() {
                let names = need.as_object().unwrap().keys();
                found.extend(names.map(|name| format!("/components/securitySchemes/{name}")));
            }
        }
    }
    let kinds = DOCUMENT["components"].as_object().unwrap().iter();
    let there = kinds.flat_map(|(kind, components)| {
        let names = components.as_object().unwrap().keys();
        names.map(move |name| format!("/components/{kind}/{name}"))
    });
    assert_eq!(found, there.collect::<BTreeSet<_>>());
}
