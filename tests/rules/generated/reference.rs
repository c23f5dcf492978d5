//! The tables of the reference that follow from the OpenAPI document: lists, values and error
//! codes.

use std::collections::BTreeMap;

use serde_json::Value;
use shared::http::operation::CODES;
use tests::{support::document, table};

/// Query parameters of every list. The order has a column of its own.
const OF_ALL_LISTS: [&str; 3] = ["cursor", "limit", "sort"];

/// The type whose values stand in the table of error codes.
const PROBLEM_CODE: &str = "ProblemCode";

/// The sections by name, each with its lines.
pub fn tables() -> [(&'static str, Vec<String>); 3] {
    let document = serde_json::to_value(document()).unwrap();
    [
        ("lists", lists(&document)),
        ("values", values(&document)),
        ("codes", codes(&document)),
    ]
}

/// Lists with the same filters and orders share a row.
fn lists(document: &Value) -> Vec<String> {
    let mut rows: Vec<((String, String), Vec<String>)> = Vec::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        let Some(parameters) = item["get"]["parameters"].as_array() else {
            continue;
        };
        let in_query = parameters
            .iter()
            .filter(|parameter| parameter["in"] == "query");
        let in_query: Vec<&Value> = in_query.collect();
        let parameter = |name: &str| {
            in_query
                .iter()
                .find(|parameter| parameter["name"] == name)
        };
        if parameter("cursor").is_none() {
            continue;
        }
        let names = in_query
            .iter()
            .map(|parameter| parameter["name"].as_str().unwrap());
        let filters: Vec<&str> = names
            .filter(|name| !OF_ALL_LISTS.contains(name))
            .collect();
        let orders = parameter("sort").map(|sort| resolved(document, &sort["schema"]));
        let orders = orders.map(|orders| texts(&orders["enum"]).join(", "));
        let columns = (filters.join(", "), orders.unwrap_or_default());
        let path = format!("`{}`", path.trim_start_matches("/api"));
        match rows
            .iter_mut()
            .find(|(other, _)| *other == columns)
        {
            Some((_, paths)) => paths.push(path),
            None => rows.push((columns, vec![path])),
        }
    }
    let rows = rows
        .into_iter()
        .map(|((filters, orders), paths)| {
            format!("| {} | {filters} | {orders} |", paths.join("<br>")).replace("|  |", "| |")
        });
    table("| list | filters | orders |", rows)
}

/// Orders stand with the lists, and codes of problems in a table of their own.
fn values(document: &Value) -> Vec<String> {
    let schemas = document["components"]["schemas"]
        .as_object()
        .unwrap();
    let named = schemas.iter().filter(|(name, schema)| {
        let is_elsewhere = name.ends_with("Sort") || *name == PROBLEM_CODE;
        schema["enum"].is_array() && !is_elsewhere
    });
    let rows =
        named.map(|(name, schema)| format!("| `{name}` | {} |", texts(&schema["enum"]).join(", ")));
    table("| type | values |", rows)
}

/// The codes of all answers, by their status, in the order of the code.
fn codes(document: &Value) -> Vec<String> {
    let problem_codes = texts(&document["components"]["schemas"][PROBLEM_CODE]["enum"]);
    let mut by_status: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let paths = document["paths"].as_object().unwrap();
    let operations = paths
        .values()
        .flat_map(|item| item.as_object().unwrap().values());
    let answers = operations.flat_map(|operation| {
        operation["responses"]
            .as_object()
            .into_iter()
            .flatten()
    });
    for (status, answer) in answers {
        let answer = resolved(document, answer);
        let of_status = by_status.entry(status).or_default();
        of_status.extend(texts(&answer[CODES]));
    }
    by_status.retain(|_, codes| !codes.is_empty());
    let rows = by_status
        .into_iter()
        .map(|(status, codes)| {
            let codes = problem_codes
                .iter()
                .filter(|code| codes.contains(code));
            let codes: Vec<String> = codes
                .map(|code| format!("`{code}`"))
                .collect();
            format!("| {status} | {} |", codes.join(", "))
        });
    table("| status | codes |", rows)
}

/// The part of the document that a `$ref` leads to, or the part itself.
fn resolved<'a>(document: &'a Value, part: &'a Value) -> &'a Value {
    let target = part["$ref"].as_str();
    target.map_or(part, |target| {
        document
            .pointer(target.trim_start_matches('#'))
            .unwrap()
    })
}

fn texts(list: &Value) -> Vec<&str> {
    let list = list.as_array().into_iter().flatten();
    list.map(|text| text.as_str().unwrap())
        .collect()
}
