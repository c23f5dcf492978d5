//! Examples of the document's schemas, recorded from answers of a world of the tests.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
};

use serde_json::{Map, Value, json};
use shared::openapi::Examples;
use tests::support::{
    Answer, Request, World,
    described::{DOCUMENT, Schema, resolved},
    document_with,
    webhooks::Receiver,
};

/// The most elements of a list in an example, unless they are objects: of these it has one.
const MOST_ELEMENTS: usize = 3;

/// A hash in place of those that differ from run to run.
const HEX: &str = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";

/// The fewest hexadecimal digits of a hash or of a random id.
const FEWEST_DIGITS: usize = 16;

/// A key in place of random ones, which have as many characters.
const KEY: &str = "hK3vJ9sQ2mXw7TzB4nLp6RcD";

/// The address in place of those of the test's servers.
const ADDRESS: &str = "https://systems.example.com";

/// Beginnings of secrets, each with a secret in place of a random one.
const SECRETS: [(&str, &str); 2] = [
    ("wd_", "wd_J3k0qT1xw9cV5mYbN2aZrE8uHsLdGfPoXtCiRwQvK7M"),
    (
        "whsec_",
        "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwAbCdEfGhIjk=",
    ),
];

/// Members that differ from run to run, each with a value in their place.
const VARYING: [(&str, &str); 4] = [
    ("nextAttemptAt", "\"2026-01-15T12:00:15.000Z\""),
    ("writeId", "\"JKJaXmPLvHcESHA=.k3JZ8sQ2\""),
    ("durationMs", "85"),
    ("duration", "840"),
];

/// Returns an example for each schema of an object that has none of its own. It is `recorded`, or
/// `composed` of the examples of its parts.
pub async fn recorded() -> BTreeMap<String, Examples> {
    let mut recording = Recording::default();
    // The futures are large.
    Box::pin(recording.answers()).await;
    Box::pin(recording.message()).await;
    recording.bodies();
    let Recording {
        fullest: mut recorded,
    } = recording;
    let document = serde_json::to_value(document_with(BTreeMap::new())).unwrap();
    let schemas = document["components"]["schemas"]
        .as_object()
        .unwrap();
    let without = schemas
        .iter()
        .filter(|(_, schema)| has_members(schema) && schema.get("examples").is_none());
    let without: Vec<&String> = without.map(|(name, _)| name).collect();
    recorded.retain(|name, _| without.contains(&name));
    let unseen = without
        .into_iter()
        .filter(|name| !recorded.contains_key(*name));
    let composed = unseen
        .map(|name| (name.clone(), composed(&schemas[name], schemas, &recorded)))
        .collect();
    BTreeMap::from([
        ("composed".to_owned(), composed),
        ("recorded".to_owned(), recorded),
    ])
}

fn has_members(schema: &Value) -> bool {
    schema["properties"].is_object() || schema["allOf"].is_array()
}

/// Returns a value of a schema: its own example, a recorded one, or one made of the examples of its
/// parts.
fn composed(schema: &Value, schemas: &Map<String, Value>, recorded: &Examples) -> Value {
    let compose = |part: &Value| composed(part, schemas, recorded);
    if let Some(place) = schema["$ref"].as_str() {
        let name = place.rsplit('/').next().unwrap();
        let known = recorded.get(name).cloned();
        return known.unwrap_or_else(|| compose(&schemas[name]));
    }
    let own = ["examples", "enum"].map(|list| schema[list].get(0));
    if let Some(example) = own.into_iter().flatten().next() {
        return example.clone();
    }
    // Beside properties, `allOf` has rules and no parts.
    let parts = schema["allOf"].as_array();
    if let Some(parts) = parts.filter(|_| schema["properties"].is_null()) {
        let mut whole = Map::new();
        for part in parts {
            if let Value::Object(more) = compose(part) {
                whole.extend(more);
            }
        }
        return whole.into();
    }
    // A value that may be null has the example of its other form, if that is an object.
    if let Some(forms) = schema["oneOf"].as_array() {
        let is_null = |form: &&Value| form["type"] == "null";
        let other = forms
            .iter()
            .rfind(|form| !is_null(form))
            .map(compose);
        let shown =
            other.filter(|value| value.is_object() || !forms.iter().any(|form| is_null(&form)));
        return shown.unwrap_or_default();
    }
    let kind = match &schema["type"] {
        Value::Array(kinds) if kinds.contains(&json!("null")) => None,
        Value::Array(kinds) => kinds[0].as_str(),
        kind => kind.as_str(),
    };
    let properties = schema["properties"]
        .as_object()
        .into_iter()
        .flatten();
    match kind {
        Some("object") => properties
            .map(|(name, property)| (name.clone(), compose(property)))
            .collect(),
        Some("array") => json!([compose(&schema["items"])]),
        Some("integer" | "number") => json!(schema["minimum"].as_i64().unwrap_or(1)),
        Some("boolean") => json!(true),
        Some("string") => json!("…"),
        _ => Value::Null,
    }
}

/// The fullest value of each schema so far.
#[derive(Default)]
struct Recording {
    fullest: Examples,
}

impl Recording {
    /// Records an answer to each operation, and answers to reads after what follows.
    async fn answers(&mut self) {
        let world = Box::pin(World::start()).await;
        let (deletes, requests): (Vec<_>, Vec<_>) = world
            .requests()
            .into_iter()
            .partition(|request| request.method == "DELETE");
        self.refusals(&world).await;
        for request in &requests {
            self.answer(&world, request).await;
        }
        Box::pin(world.concierge.follows()).await;
        for request in requests
            .iter()
            .filter(|request| request.method == "GET")
        {
            self.answer(&world, request).await;
        }
        for request in &deletes {
            self.answer(&world, request).await;
        }
    }

    /// Records a problem, and one with faults.
    async fn refusals(&mut self, world: &World) {
        let caller = world.caller().await;
        let absent = caller.get("/api/tasks/999").await;
        let empty = caller
            .post("/api/tasks", json!({}))
            .await;
        for (answer, status, path) in [(absent, 404, "~1{id}/get"), (empty, 400, "/post")] {
            answer.expect(status);
            let operation = format!("/paths/~1api~1tasks{path}");
            self.body(DOCUMENT.pointer(&operation).unwrap(), &answer);
        }
    }

    async fn answer(&mut self, world: &World, request: &Request) {
        let mut request = request.clone();
        if request
            .described()
            .parameter("detail")
            .is_some()
        {
            let sign = if request.path.contains('?') { '&' } else { '?' };
            request.path = format!("{}{sign}detail=full", request.path);
        }
        let caller = world.caller_of(&request).await;
        let answer = request.by(&caller).await;
        let operation = &DOCUMENT["paths"][&request.template][request.method.to_lowercase()];
        self.body(operation, &answer);
    }

    fn body(&mut self, operation: &Value, answer: &Answer) {
        let described = &operation["responses"][answer.status.to_string()];
        let content_type = answer.header("content-type");
        let content = &resolved(described)["content"][content_type.unwrap_or_default()];
        if answer.is_lines() {
            for line in answer.lines() {
                self.note(&content["schema"], &line);
            }
        } else if let Ok(body) = serde_json::from_str(&answer.text) {
            self.note(&content["schema"], &body);
        }
    }

    /// Records a message to the receiver of a webhook.
    async fn message(&mut self) {
        let (api, [ada]) = tests::support::Api::signed_in(["ada"]).await;
        let receiver = Receiver::start().await;
        api.has_webhook(&ada, &receiver.url, &["task.*"])
            .await;
        ada.creates_task(json!({})).await;
        api.publishes().await;
        api.sends_webhooks().await;
        let operation = "/webhooks/message/post/requestBody/content/application~1json/schema";
        for message in receiver.take().await {
            self.note(DOCUMENT.pointer(operation).unwrap(), &message.json());
        }
    }

    /// Records the parts of the bodies' own examples.
    fn bodies(&mut self) {
        let paths = DOCUMENT["paths"].as_object().unwrap();
        for operation in paths
            .values()
            .flat_map(|item| item.as_object().unwrap().values())
        {
            let schema = &operation["requestBody"]["content"]["application/json"]["schema"];
            if let Some(example) = resolved(schema)["examples"].get(0) {
                self.note(schema, example);
            }
        }
    }

    /// Notes a value, and those within it, under the names of their schemas.
    fn note(&mut self, schema: &Value, value: &Value) {
        if let Some(place) = schema["$ref"].as_str() {
            let name = place.rsplit('/').next().unwrap();
            if value.is_object() {
                let mut value = steady("", value);
                keep_own(&mut value, resolved(schema));
                let noted = self.fullest.get(name);
                if noted.is_none_or(|noted| fullness(noted) < fullness(&value)) {
                    self.fullest
                        .insert(name.to_owned(), value);
                }
            }
            return self.note(resolved(schema), value);
        }
        if schema.is_null() {
            return;
        }
        let list = |keyword: &str| {
            schema[keyword]
                .as_array()
                .into_iter()
                .flatten()
        };
        for part in list("allOf") {
            self.note(part, value);
        }
        for form in list("oneOf").chain(list("anyOf")) {
            if Schema::of_answer(form)
                .faults(value)
                .is_empty()
            {
                self.note(form, value);
            }
        }
        for element in value.as_array().into_iter().flatten() {
            self.note(&schema["items"], element);
        }
        for (name, member) in value.as_object().into_iter().flatten() {
            let described = schema["properties"].get(name);
            self.note(described.unwrap_or(&schema["additionalProperties"]), member);
        }
    }
}

/// Leaves out the members that a larger object has beside those of the schema.
fn keep_own(value: &mut Value, schema: &Value) {
    let mut own = BTreeSet::new();
    let mut parts = vec![schema];
    while let Some(part) = parts.pop() {
        let part = resolved(part);
        own.extend(
            part["properties"]
                .as_object()
                .into_iter()
                .flat_map(Map::keys),
        );
        parts.extend(
            part["allOf"]
                .as_array()
                .into_iter()
                .flatten(),
        );
    }
    if let Some(members) = value.as_object_mut()
        && !own.is_empty()
    {
        members.retain(|name, _| own.contains(name));
    }
}

/// Returns the number of members with a value. Of equally full objects, the first one by its text
/// is the greatest, so that their order in a list decides nothing.
fn fullness(object: &Value) -> (usize, Reverse<String>) {
    let members = object.as_object().into_iter().flatten();
    let full = members.filter(|(_, value)| ![json!(null), json!([]), json!({})].contains(value));
    (full.count(), Reverse(object.to_string()))
}

/// True for a text of as many characters as a random key, without spaces and marks.
fn is_key(value: &Value) -> bool {
    let is_part = |character: char| character.is_ascii_alphanumeric() || "-_".contains(character);
    value
        .as_str()
        .is_some_and(|text| text.len() == KEY.len() && text.chars().all(is_part))
}

/// Returns a member's value with short lists, and without what differs from run to run.
fn steady(name: &str, value: &Value) -> Value {
    let varying = VARYING
        .iter()
        .find(|(varying, _)| *varying == name);
    if let Some((_, instead)) = varying
        && (value.is_string() || value.is_number())
    {
        return serde_json::from_str(instead).unwrap();
    }
    match value {
        Value::String(_) if ["key", "externalId"].contains(&name) && is_key(value) => KEY.into(),
        Value::String(text) => steady_text(text).into(),
        Value::Array(elements) => {
            let most = match elements.first() {
                Some(Value::Object(_)) => 1,
                _ => MOST_ELEMENTS,
            };
            let first = elements.iter().take(most);
            first
                .map(|element| steady(name, element))
                .collect()
        }
        Value::Object(members) => {
            let members = members.iter();
            members
                .map(|(name, member)| (name.clone(), steady(name, member)))
                .collect()
        }
        other => other.clone(),
    }
}

fn steady_text(text: &str) -> String {
    for (beginning, secret) in SECRETS {
        if text.starts_with(beginning) {
            return secret.to_owned();
        }
    }
    without_ports(&without_hashes(text))
}

/// Replaces the addresses of the test's servers.
fn without_ports(text: &str) -> String {
    let mut parts = text.split("http://127.0.0.1:");
    let mut whole = parts.next().unwrap().to_owned();
    for part in parts {
        whole.push_str(ADDRESS);
        whole.push_str(part.trim_start_matches(|digit: char| digit.is_ascii_digit()));
    }
    whole
}

/// Replaces long runs of hexadecimal digits.
fn without_hashes(text: &str) -> String {
    let mut whole = String::new();
    for part in text.split_inclusive(|letter: char| !letter.is_ascii_hexdigit()) {
        let digits = part
            .trim_end_matches(|letter: char| !letter.is_ascii_hexdigit())
            .len();
        let replaced = if digits < FEWEST_DIGITS {
            &part[..digits]
        } else {
            &HEX[..digits.min(HEX.len())]
        };
        whole.push_str(replaced);
        whole.push_str(&part[digits..]);
    }
    whole
}
