//! Refusals of DynamoDB that the embedded engine lets pass.

use std::collections::HashSet;

use axum::{
    http::StatusCode,
    response::{IntoResponse, Response},
};
use serde_json::{Value, json};

use super::{
    Asked,
    asked::{ItemKey, members},
    fault::problem,
    upstream::Upstream,
};

/// Attributes of keys with the most bytes that they may have: partition and sort key of the table
/// and of each index.
const KEYS: [(&str, usize); 10] = [
    ("pk", 2_048),
    ("sk", 1_024),
    ("gsi1pk", 2_048),
    ("gsi1sk", 1_024),
    ("gsi2pk", 2_048),
    ("gsi2sk", 1_024),
    ("gsi3pk", 2_048),
    ("gsi3sk", 1_024),
    ("gsi4pk", 2_048),
    ("gsi4sk", 1_024),
];

/// Writes in a transaction at most.
const TRANSACTION: usize = 100;
/// Bytes of all items of a transaction at most.
const TRANSACTION_BYTES: usize = 4 * 1024 * 1024;
/// So many items, of 400 KB at most, always fit in a transaction.
const ALWAYS_FIT: usize = 10;
/// Keys in a batch read at most.
const BATCH_READ: usize = 100;
/// Writes in a batch at most.
const BATCH_WRITE: usize = 25;
/// Bytes of an expression at most.
const EXPRESSION: usize = 4 * 1024;
/// Operators and functions of an expression at most.
const OPERATORS: usize = 300;
/// Values of an `IN` at most.
const ONE_OF: usize = 100;
/// Characters of a transaction's token at most.
const TOKEN: usize = 36;

/// The members of a request that are expressions.
const EXPRESSIONS: [&str; 5] = [
    "ConditionExpression",
    "FilterExpression",
    "KeyConditionExpression",
    "ProjectionExpression",
    "UpdateExpression",
];

/// DynamoDB's answer to a request that it does not take.
pub(super) async fn refusal(asked: &Asked, upstream: &Upstream) -> Option<Response> {
    let checked = match check(asked) {
        Ok(()) => bytes(asked, upstream).await,
        refused => refused,
    };
    let wrong = checked.err()?;
    let body = problem("ValidationException", &wrong, json!({}));
    Some((StatusCode::BAD_REQUEST, body).into_response())
}

type Checked = Result<(), String>;

fn check(asked: &Asked) -> Checked {
    let request = &asked.request;
    match asked.operation.as_str() {
        "PutItem" => item(&request["Item"])?,
        "GetItem" | "DeleteItem" => key(&request["Key"])?,
        "UpdateItem" => update(request)?,
        "Query" => query(request)?,
        "TransactWriteItems" => transaction(asked)?,
        "BatchGetItem" => batch_read(request)?,
        "BatchWriteItem" => batch_write(asked)?,
        _ => {}
    }
    expressions(request)
}

/// A key has all that it needs, and nothing is empty.
fn key(key: &Value) -> Checked {
    for name in ["pk", "sk"] {
        if key.get(name).is_none() {
            return Err(format!("the key lacks {name}"));
        }
    }
    item(key)
}

/// The attributes of an item that are keys are texts, neither empty nor too long.
fn item(item: &Value) -> Checked {
    for (name, most) in KEYS {
        if let Some(value) = item.get(name) {
            key_value(name, value, most)?;
        }
    }
    Ok(())
}

fn key_value(name: &str, value: &Value, most: usize) -> Checked {
    let Some(text) = value["S"].as_str() else {
        return Err(format!("the key attribute {name} is no text: {value}"));
    };
    if text.is_empty() {
        return Err(format!("the key attribute {name} is empty"));
    }
    if text.len() > most {
        return Err(format!(
            "the key attribute {name} has more than {most} bytes"
        ));
    }
    Ok(())
}

/// Nothing gives an item another key, or an index an empty one.
fn update(request: &Value) -> Checked {
    key(&request["Key"])?;
    let text = request["UpdateExpression"]
        .as_str()
        .unwrap_or_default();
    let names = &request["ExpressionAttributeNames"];
    let values = &request["ExpressionAttributeValues"];
    let mut written = HashSet::new();
    for assignment in text.split([',']) {
        let words: Vec<&str> = assignment.split_whitespace().collect();
        let mut words = words.as_slice();
        while let [first, rest @ ..] = words
            && matches!(*first, "SET" | "REMOVE" | "ADD" | "DELETE")
        {
            words = rest;
        }
        let Some(target) = words
            .first()
            .filter(|word| word.starts_with('#'))
        else {
            continue;
        };
        let name = names[*target]
            .as_str()
            .unwrap_or_default();
        if matches!(name, "pk" | "sk") {
            return Err(format!("{name} is part of the key and cannot be changed"));
        }
        if !written.insert(name) {
            return Err(format!("two changes of {name} overlap"));
        }
        let key = KEYS
            .iter()
            .find(|(key, _)| *key == name);
        if let (Some((_, most)), [_, "=", value]) = (key, words) {
            key_value(name, &values[*value], *most)?;
        }
    }
    Ok(())
}

/// An index is not read consistently, no key condition is empty, no filter names a key, and where
/// it goes on from has the keys of table and index.
fn query(request: &Value) -> Checked {
    let index = request["IndexName"].as_str();
    if index.is_some() && request["ConsistentRead"] == json!(true) {
        return Err("an index is not read consistently".to_owned());
    }
    if request["Limit"]
        .as_i64()
        .is_some_and(|limit| limit < 1)
    {
        return Err("the limit is at least 1".to_owned());
    }
    let condition = request["KeyConditionExpression"].as_str();
    for placeholder in placeholders(condition.unwrap_or_default(), ':') {
        let value = &request["ExpressionAttributeValues"][placeholder];
        if value["S"] == json!("") {
            return Err(format!("{placeholder} of a key condition is empty"));
        }
    }
    let (partition, sort) = match index {
        Some(index) => (format!("{index}pk"), format!("{index}sk")),
        None => ("pk".to_owned(), "sk".to_owned()),
    };
    let filter = request["FilterExpression"].as_str();
    for placeholder in placeholders(filter.unwrap_or_default(), '#') {
        let name = request["ExpressionAttributeNames"][placeholder].as_str();
        if name.is_some_and(|name| name == partition || name == sort) {
            return Err(format!(
                "the filter names {placeholder}, a key of what is read"
            ));
        }
    }
    let Some(start) = request.get("ExclusiveStartKey") else {
        return Ok(());
    };
    let mut expected = HashSet::from(["pk", "sk"]);
    expected.extend([partition.as_str(), sort.as_str()]);
    let attributes: HashSet<&str> = members(start)
        .map(|(name, _)| name)
        .collect();
    if attributes != expected {
        return Err(format!(
            "it goes on from {attributes:?}, not from {expected:?}"
        ));
    }
    item(start)
}

fn transaction(asked: &Asked) -> Checked {
    let writes = asked.transaction();
    let token = asked.request["ClientRequestToken"].as_str();
    if token.is_some_and(|token| token.is_empty() || token.len() > TOKEN) {
        return Err(format!("a token has 1 to {TOKEN} characters"));
    }
    if writes.is_empty() || writes.len() > TRANSACTION {
        let count = writes.len();
        return Err(format!("a transaction of {count} writes"));
    }
    distinct(asked.items())?;
    for (kind, write) in writes {
        match kind {
            "Put" => item(&write["Item"])?,
            "Update" => update(write)?,
            _ => key(&write["Key"])?,
        }
        expressions(write)?;
    }
    Ok(())
}

/// The items of a transaction are not too large together: those put, and the table's own that it
/// changes, deletes or checks.
async fn bytes(asked: &Asked, upstream: &Upstream) -> Checked {
    let writes = asked.transaction();
    if writes.len() <= ALWAYS_FIT {
        return Ok(());
    }
    let (puts, others): (Vec<_>, Vec<_>) = writes
        .into_iter()
        .partition(|(kind, _)| *kind == "Put");
    let mut bytes: usize = puts
        .iter()
        .map(|(_, put)| size(&put["Item"]))
        .sum();
    let mut open = json!({});
    for (_, write) in others {
        let keys = &mut open[write["TableName"]
            .as_str()
            .unwrap_or_default()]["Keys"];
        if keys.is_null() {
            *keys = json!([]);
        }
        keys.as_array_mut()
            .unwrap()
            .push(write["Key"].clone());
    }
    while open
        .as_object()
        .is_some_and(|open| !open.is_empty())
    {
        let request = json!({"RequestItems": open});
        let mut answer = upstream
            .expect("BatchGetItem", &request)
            .await;
        let items = members(&answer["Responses"]).filter_map(|(_, items)| items.as_array());
        bytes += items.flatten().map(size).sum::<usize>();
        open = answer["UnprocessedKeys"].take();
    }
    if bytes > TRANSACTION_BYTES {
        return Err(format!("a transaction of {bytes} bytes"));
    }
    Ok(())
}

fn batch_read(request: &Value) -> Checked {
    let mut keys = Vec::new();
    for (table, wanted) in members(&request["RequestItems"]) {
        for wanted in wanted["Keys"]
            .as_array()
            .into_iter()
            .flatten()
        {
            key(wanted)?;
            keys.push((table, wanted.to_string()));
        }
    }
    if keys.is_empty() || keys.len() > BATCH_READ {
        let count = keys.len();
        return Err(format!("a batch read of {count} keys"));
    }
    distinct(keys)
}

fn batch_write(asked: &Asked) -> Checked {
    let writes = asked.batch_writes();
    if writes.is_empty() || writes.len() > BATCH_WRITE {
        let count = writes.len();
        return Err(format!("a batch of {count} writes"));
    }
    for (_, write) in writes {
        key(write)?;
    }
    distinct::<ItemKey>(asked.items())
}

fn distinct<K: std::hash::Hash + Eq>(keys: impl IntoIterator<Item = K>) -> Checked {
    let mut seen = HashSet::new();
    if keys
        .into_iter()
        .all(|key| seen.insert(key))
    {
        return Ok(());
    }
    Err("an item stands twice in it".to_owned())
}

/// Counts the operators and functions of an expression.
fn operators(text: &str) -> usize {
    let words = text.split([' ', ',', '(', ')']);
    let words = words.filter(|word| {
        let is_name = word.starts_with(['#', ':']);
        !word.is_empty() && !is_name && !matches!(*word, "SET" | "REMOVE" | "ADD" | "DELETE")
    });
    words.count()
}

/// No expression is too long, and every placeholder stands in one.
fn expressions(request: &Value) -> Checked {
    let texts = EXPRESSIONS.iter();
    let texts: Vec<&str> = texts
        .filter_map(|name| request[*name].as_str())
        .collect();
    if let Some(long) = texts
        .iter()
        .find(|text| text.len() > EXPRESSION)
    {
        return Err(format!("an expression of {} bytes", long.len()));
    }
    if texts.iter().any(|text| text.is_empty()) {
        return Err("an expression is empty".to_owned());
    }
    if let Some(long) = texts
        .iter()
        .find(|text| operators(text) > OPERATORS)
    {
        return Err(format!("an expression of {} operators", operators(long)));
    }
    let lists = texts
        .iter()
        .flat_map(|text| text.split(" IN (").skip(1));
    let mut lists = lists.filter_map(|rest| rest.split(')').next());
    if lists.any(|list| list.split(',').count() > ONE_OF) {
        return Err(format!("an IN of more than {ONE_OF} values"));
    }
    for (members_of, mark) in [
        ("ExpressionAttributeNames", '#'),
        ("ExpressionAttributeValues", ':'),
    ] {
        let used = texts
            .iter()
            .flat_map(|text| placeholders(text, mark));
        let used: HashSet<&str> = used.collect();
        if let Some((unused, _)) =
            members(&request[members_of]).find(|(name, _)| !used.contains(name))
        {
            return Err(format!("{unused} stands in no expression"));
        }
    }
    Ok(())
}

/// The placeholders of an expression that begin with `#` or `:`.
fn placeholders(expression: &str, mark: char) -> impl Iterator<Item = &str> {
    expression
        .match_indices(mark)
        .map(|(start, _)| {
            let rest = &expression[start..];
            let name = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
            let end = rest[1..].find(|letter| !name(letter));
            end.map_or(rest, |end| &rest[..=end])
        })
}

/// Bytes of an item, about as DynamoDB counts them: names and values.
fn size(value: &Value) -> usize {
    match value {
        Value::Object(object) => object
            .iter()
            .map(|(name, value)| name.len() + size(value))
            .sum(),
        Value::Array(values) => values
            .iter()
            .map(|value| 1 + size(value))
            .sum(),
        Value::String(text) => text.len(),
        _ => 1,
    }
}
