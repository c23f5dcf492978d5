//! Rules within the document, without requests and answers.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use tests::support::described::{DOCUMENT, Schema, resolved};

/// Every object below a value, each with where it stands.
fn objects<'a>(place: &str, value: &'a Value, collected: &mut Vec<(String, &'a Value)>) {
    match value {
        Value::Object(members) => {
            collected.push((place.to_owned(), value));
            for (name, member) in members {
                let name = name
                    .replace('~', "~0")
                    .replace('/', "~1");
                objects(&format!("{place}/{name}"), member, collected);
            }
        }
        Value::Array(values) => {
            for (at, value) in values.iter().enumerate() {
                objects(&format!("{place}/{at}"), value, collected);
            }
        }
        _ => (),
    }
}

fn all_objects(value: &Value) -> Vec<(String, &Value)> {
    let mut collected = Vec::new();
    objects("", value, &mut collected);
    collected
}

/// The codes in the schema of a problem, or of each of its alternatives.
fn codes_of(schema: &Value) -> Vec<&Value> {
    let schema = resolved(schema);
    let parts = ["allOf", "oneOf"].map(|keyword| schema[keyword].as_array());
    let parts = parts.into_iter().flatten().flatten();
    let own = schema.pointer("/properties/code/enum");
    let own = own
        .and_then(Value::as_array)
        .into_iter()
        .flatten();
    own.chain(parts.flat_map(codes_of))
        .collect()
}

#[test]
fn a_problems_schema_names_the_codes_that_the_response_lists() {
    let mut seen = 0;
    for (place, response) in all_objects(&DOCUMENT) {
        let Some(codes) = response.get("x-codes") else {
            continue;
        };
        let codes: Vec<&Value> = codes
            .as_array()
            .unwrap()
            .iter()
            .collect();
        let schema = &response["content"]["application/problem+json"]["schema"];
        assert_eq!(codes_of(schema), codes, "{place}");
        seen += 1;
    }
    assert!(seen > 10, "{seen}");
}

#[test]
fn every_problem_response_lists_its_codes() {
    for (name, operation) in operations() {
        for (status, response) in operation["responses"]
            .as_object()
            .unwrap()
        {
            let response = resolved(response);
            let codes = response["x-codes"].as_array();
            let is_problem = response["content"]
                .get("application/problem+json")
                .is_some();
            let has_codes = codes.is_some_and(|codes| !codes.is_empty());
            assert_eq!(has_codes, is_problem, "{name} {status}");
            // The gateway itself writes a 429.
            let may_be_none = status.as_str() < "400" || status == "429";
            assert!(is_problem || may_be_none, "{name} {status}");
        }
    }
}

#[test]
fn the_gateway_limits_every_operation_and_quotas_those_with_a_caller() {
    for (name, operation) in operations() {
        let limited = resolved(&operation["responses"]["429"]);
        let schema = &limited["content"]["application/json"]["schema"]["$ref"];
        assert_eq!(schema, "#/components/schemas/GatewayMessage", "{name}");
        let mut codes = limited["x-codes"]
            .as_array()
            .into_iter()
            .flatten();
        let by_quota = codes.any(|code| code == "rate_limited");
        let has_caller = operation["security"] != json!([]);
        assert_eq!(by_quota, has_caller, "{name}");
        for header in ["RateLimit", "RateLimit-Policy"] {
            assert_eq!(!limited["headers"][header].is_null(), has_caller, "{name}");
        }
    }
}

/// Viewers list the summaries, and generators make comments of them.
#[test]
fn every_summary_is_one_short_line() {
    let mut faults = Vec::new();
    for (name, operation) in operations() {
        let summary = operation["summary"]
            .as_str()
            .unwrap_or_default();
        let length = summary.chars().count();
        if !(1..=80).contains(&length) || summary.contains('\n') || summary.contains(". ") {
            faults.push(format!("{name}: {length} characters: {summary}"));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn every_description_names_the_needs_of_the_operation() {
    for (name, operation) in operations() {
        let needs = operation["x-needs"]
            .as_array()
            .into_iter()
            .flatten();
        let about = operation["description"]
            .as_str()
            .unwrap_or_default();
        for need in needs {
            let need = need.as_str().unwrap();
            let named = need
                .strip_prefix("plan ")
                .unwrap_or(need);
            let named = named
                .strip_prefix("its creator, or ")
                .unwrap_or(named);
            assert!(about.contains(named), "{name}: {named}: {about}");
        }
    }
}

#[test]
fn every_parameter_has_a_description() {
    for (name, operation) in operations() {
        for parameter in operation["parameters"]
            .as_array()
            .into_iter()
            .flatten()
        {
            let about = parameter["description"]
                .as_str()
                .unwrap_or_default();
            assert!(!about.is_empty(), "{name}: {}", parameter["name"]);
        }
    }
}

/// Every operation with its method and path.
fn operations() -> impl Iterator<Item = (String, &'static Value)> {
    let paths = DOCUMENT["paths"]
        .as_object()
        .unwrap()
        .iter();
    paths.flat_map(|(path, item)| {
        let operations = item.as_object().unwrap().iter();
        operations.map(move |(method, operation)| {
            (format!("{} {path}", method.to_uppercase()), operation)
        })
    })
}

#[test]
fn every_example_fits_its_schema() {
    let mut seen = 0;
    for (place, schema) in all_objects(&DOCUMENT) {
        for example in schema["examples"]
            .as_array()
            .into_iter()
            .flatten()
        {
            let faults = Schema::of_answer(schema).faults(example);
            assert!(faults.is_empty(), "{place}: {example}: {faults:?}");
            seen += 1;
        }
    }
    assert!(seen > 20, "{seen}");
}

#[test]
fn every_component_is_referred_to() {
    let mut referred = BTreeSet::new();
    let mut open = vec![&DOCUMENT["paths"], &DOCUMENT["webhooks"]];
    while let Some(next) = open.pop() {
        for (_, object) in all_objects(next) {
            if let Some(place) = object["$ref"].as_str()
                && referred.insert(place.trim_start_matches('#').to_owned())
            {
                open.push(resolved(object));
            }
            for need in object["security"]
                .as_array()
                .into_iter()
                .flatten()
            {
                let names = need.as_object().unwrap().keys();
                referred.extend(names.map(|name| format!("/components/securitySchemes/{name}")));
            }
        }
    }
    let kinds = DOCUMENT["components"]
        .as_object()
        .unwrap()
        .iter();
    let component_paths = kinds.flat_map(|(kind, components)| {
        let names = components.as_object().unwrap().keys();
        names.map(move |name| format!("/components/{kind}/{name}"))
    });
    assert_eq!(referred, component_paths.collect::<BTreeSet<_>>());
}
