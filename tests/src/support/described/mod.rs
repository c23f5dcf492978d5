//! Holds every request and its answer against the OpenAPI document, in both directions: neither may
//! have more than the other.

mod operation;
mod schema;

pub use schema::{DOCUMENT, LATER, Schema, resolved};

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::LazyLock,
};

use serde_json::{Value, json};

use self::operation::{DescribedAnswer, Operation};
use super::{Answer, gateway::Sent};

/// Headers of answers to all operations. The document does not repeat them.
const OF_EVERY_ANSWER: &str = "cache-control content-encoding content-length content-type \
    strict-transport-security vary x-content-type-options x-request-id";

/// Codes of faults that a schema can express, wherever they are found.
const OF_SCHEMAS: &str = "date_time length null pattern range type value";

static PROBLEM: LazyLock<Schema> =
    LazyLock::new(|| Schema::of_answer(&json!({"$ref": "#/components/schemas/Problem"})));

/// Reads the document, which takes a second or more. Requests that are sent beside the first would
/// wait for it, and run out of time on a busy machine.
pub fn ready() {
    schema::ready();
    operation::all();
}

/// Fails the test whose request or answer is not as the document describes it.
pub fn check(sent: &Sent<'_>, answer: &Answer) {
    let (path, query) = sent
        .path
        .split_once('?')
        .unwrap_or((sent.path, ""));
    let (name, faults) = match operation::of(sent.method, path) {
        Some((name, operation)) => {
            let mut faults = faults_of_request(operation, sent.body.as_deref(), query, answer);
            match operation.answers.get(&answer.status) {
                Some(described) => {
                    faults.extend(faults_of_answer(described, answer));
                    if !operation.query.contains_key("detail") {
                        faults.extend(optional_members(described));
                    }
                }
                None => faults.push("the status is not described".to_owned()),
            }
            (name, faults)
        }
        None => (
            format!("{} {path}", sent.method),
            faults_beyond_the_document(answer),
        ),
    };
    assert!(
        faults.is_empty(),
        "{name} answers {} otherwise than the OpenAPI document says:\n  {}\nsent: {:.1000}\nanswered: {:.1000}",
        answer.status,
        faults.join("\n  "),
        sent.body
            .as_deref()
            .unwrap_or("nothing"),
        answer.text,
    );
}

/// A path or a method without an operation.
fn faults_beyond_the_document(answer: &Answer) -> Vec<String> {
    let mut faults = Vec::new();
    if ![404, 405].contains(&answer.status) {
        faults.push("the operation is not described".to_owned());
    }
    faults.extend(texts(PROBLEM.faults(&body_of(answer))));
    faults
}

fn body_of(answer: &Answer) -> Value {
    serde_json::from_str(&answer.text).unwrap_or(Value::Null)
}

fn texts(faults: Vec<(String, String)>) -> impl Iterator<Item = String> {
    let text = |(pointer, text): (String, String)| match pointer.as_str() {
        "" => text,
        pointer => format!("{pointer}: {text}"),
    };
    faults.into_iter().map(text)
}

/// Faults of an accepted request by the document's rules, and the lack of any in a refused one.
fn faults_of_request(
    operation: &Operation,
    body: Option<&str>,
    query: &str,
    answer: &Answer,
) -> Vec<String> {
    let mut faults = Vec::new();
    let accepted = (200..300).contains(&answer.status);
    let parameters = super::gateway::parameters(query);
    if accepted {
        faults.extend(faults_of_query(operation, &parameters));
    } else {
        faults.extend(undescribed_bounds(answer, |pointer| {
            let (name, value) = parameters.get_key_value(pointer.strip_prefix('?')?)?;
            let refused = !operation
                .query
                .get(name)?
                .faults_of_text(value)
                .is_empty();
            Some((&Value::Null, refused))
        }));
    }
    let Some(described) = &operation.body else {
        return faults;
    };
    // A byte order mark is no part of the body.
    let body = body.map(|body| body.trim_start_matches('\u{feff}'));
    match body.map(serde_json::from_str::<Value>) {
        Some(Ok(body)) if accepted => {
            let refused = texts(described.schema.faults(&body));
            faults.extend(refused.map(|fault| format!("the body was accepted, {fault}")));
        }
        Some(Ok(body)) => {
            let refused = described.schema.faults(&body);
            let refused: BTreeSet<String> = refused
                .into_iter()
                .map(|(at, _)| at)
                .collect();
            // Of what stands in an object that may be null, the schema refuses the whole object.
            let is_within = |pointer: &str| {
                let mut at = refused
                    .iter()
                    .filter(|at| !at.is_empty());
                at.any(|at| {
                    let rest = pointer.strip_prefix(at.as_str());
                    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
                }) || refused.contains(pointer)
            };
            faults.extend(undescribed_bounds(answer, |pointer| {
                Some((body.pointer(pointer)?, is_within(pointer)))
            }));
        }
        Some(Err(_)) if accepted => faults.push("the body is not JSON".to_owned()),
        None if accepted && described.required => faults.push("there was no body".to_owned()),
        _ => (),
    }
    faults
}

fn faults_of_query(operation: &Operation, parameters: &BTreeMap<String, String>) -> Vec<String> {
    let mut faults = Vec::new();
    for (name, value) in parameters {
        match operation.query.get(name) {
            Some(schema) => {
                let refused = texts(schema.faults_of_text(value));
                faults.extend(refused.map(|fault| format!("?{name} was accepted, {fault}")));
            }
            None => faults.push(format!("?{name} was accepted and is not described")),
        }
    }
    faults
}

/// Refusals for a reason that a schema can give, and the schema does not. `look` returns the value
/// at a pointer, if there is one, and whether its schema refuses it.
fn undescribed_bounds<'a>(
    answer: &Answer,
    look: impl Fn(&str) -> Option<(&'a Value, bool)>,
) -> Vec<String> {
    let mut faults = Vec::new();
    let problem = body_of(answer);
    for fault in problem["errors"]
        .as_array()
        .into_iter()
        .flatten()
    {
        let pointer = fault["pointer"]
            .as_str()
            .unwrap_or_default();
        let code = fault["code"]
            .as_str()
            .unwrap_or_default();
        // A username has letters of any script, which are too many to spell out. Allowed origins
        // are a setting.
        if let Some((value, refused)) = look(pointer)
            && !refused
            && ![("pattern", "/username"), ("value", "?return")].contains(&(code, pointer))
            && is_for_schemas(code, value)
        {
            let fault = format!("{pointer} was refused as {code}, and its schema allows it");
            faults.push(fault);
        }
    }
    faults
}

/// Returns whether a schema could say that a value has this fault.
fn is_for_schemas(code: &str, value: &Value) -> bool {
    match code {
        "blank" => value == "",
        // The size of an object is that of its text, of which schemas know nothing.
        "length" => !value.is_object(),
        code => OF_SCHEMAS
            .split(' ')
            .any(|listed| listed == code),
    }
}

fn faults_of_answer(described: &DescribedAnswer, answer: &Answer) -> Vec<String> {
    let mut faults = faults_of_headers(described, answer);
    faults.extend(faults_of_body(described, answer));
    faults
}

/// An answer has all members that it may have, but where a request asks for some of them.
fn optional_members(described: &DescribedAnswer) -> impl Iterator<Item = String> {
    let optional = described.optional.iter();
    optional.map(|member| format!("{member} is not described as required"))
}

fn faults_of_body(described: &DescribedAnswer, answer: &Answer) -> Vec<String> {
    if answer.text.is_empty() && !answer.is_lines() {
        let missing = described.content.keys().next();
        let fault = missing.map(|content_type| format!("there is no body of {content_type}"));
        return fault.into_iter().collect();
    }
    let content_type = answer
        .header("content-type")
        .unwrap_or_default();
    let Some(schema) = described.content.get(content_type) else {
        return vec![format!("a body of {content_type:?} is not described")];
    };
    if answer.is_lines() {
        let lines = answer.lines();
        return texts(
            lines
                .iter()
                .flat_map(|line| schema.faults(line))
                .collect(),
        )
        .collect();
    }
    match serde_json::from_str(&answer.text) {
        Ok(body) => texts(schema.faults(&body)).collect(),
        Err(error) => vec![format!("the body is not JSON: {error}")],
    }
}

fn faults_of_headers(described: &DescribedAnswer, answer: &Answer) -> Vec<String> {
    let sent = answer.headers();
    let mut faults = Vec::new();
    for (name, value) in &sent {
        match described.headers.get(name) {
            Some(header) => {
                let refused = texts(header.schema.faults_of_text(value));
                faults.extend(refused.map(|fault| format!("header {name}, {fault}")));
            }
            None if OF_EVERY_ANSWER
                .split(' ')
                .any(|listed| listed == name) => {}
            None => faults.push(format!("the header {name} is not described")),
        }
    }
    for (name, header) in &described.headers {
        if header.required
            && !sent
                .iter()
                .any(|(sent_name, _)| sent_name == name)
        {
            faults.push(format!("the header {name} is missing"));
        }
    }
    faults
}
