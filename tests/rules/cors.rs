//! Compares the headers allowed to pages of other origins with the headers of operations.

use std::collections::BTreeSet;

use serde_json::Value;
use shared::http::cors::{ALLOWED_HEADERS, EXPOSED_HEADERS, OF_TRACES};
use tests::support::{document, operations};

type Names = BTreeSet<String>;

#[test]
fn other_origins_may_send_what_operations_take_and_read_what_they_answer() {
    let document = serde_json::to_value(document()).unwrap();
    hold("ALLOWED_HEADERS", &ALLOWED_HEADERS, &taken(&document));
    hold("EXPOSED_HEADERS", &EXPOSED_HEADERS, &answered(&document));
}

/// A list has what is described, and nothing else.
#[track_caller]
fn hold(list: &str, listed: &[&str], described: &Names) {
    let listed = names(listed);
    assert_eq!(
        listed, *described,
        "{list} of shared/src/http/cors.rs, and operations"
    );
}

fn names(list: &[&str]) -> Names {
    list.iter()
        .map(|name| (*name).to_owned())
        .collect()
}

/// Headers of requests: parameters, the content type of a body, and a bearer's token. The content
/// type is JSON, so a page has to ask for it.
fn taken(document: &Value) -> Names {
    let mut taken = names(&OF_TRACES);
    for operation in operations() {
        let headers = operation
            .parameters()
            .filter(|parameter| parameter["in"] == "header");
        let headers = headers.map(|header| header["name"].as_str().unwrap());
        taken.extend(headers.map(str::to_ascii_lowercase));
        if operation.takes_body() {
            taken.insert("content-type".to_owned());
        }
    }
    let schemes = document["components"]["securitySchemes"].as_object();
    if schemes
        .unwrap()
        .values()
        .any(|scheme| scheme["type"] == "http")
    {
        taken.insert("authorization".to_owned());
    }
    taken
}

/// Headers of answers, but for those that a page reads anyway or never does.
fn answered(document: &Value) -> Names {
    let mut answered = Names::new();
    collect_headers(document, &mut answered);
    for of_the_browser in ["cache-control", "set-cookie", "x-content-type-options"] {
        answered.remove(of_the_browser);
    }
    answered
}

/// Names of all members of objects called `headers`, but for a schema's property of that name.
fn collect_headers(value: &Value, names: &mut Names) {
    match value {
        Value::Object(members) => {
            let headers = members
                .get("headers")
                .and_then(Value::as_object);
            let headers = headers.into_iter().flatten();
            names.extend(headers.map(|(name, _)| name.to_ascii_lowercase()));
            let others = members
                .iter()
                .filter(|(name, _)| *name != "properties");
            others.for_each(|(_, member)| collect_headers(member, names));
        }
        Value::Array(items) => items
            .iter()
            .for_each(|item| collect_headers(item, names)),
        _ => (),
    }
}
