//! Examples of the document's schemas, recorded from answers of a world of the tests.

use std::collections::BTreeMap;

use serde_json::{Value, json};
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
const VARYING: [(&str, &str); 3] = [
    ("writeId", "\"JKJaXmPLvHcESHA=.k3JZ8sQ2\""),
    ("durationMs", "85"),
    ("duration", "840"),
];

/// Returns an example for each schema of an object that has none of its own.
pub async fn recorded() -> Examples {
    let mut recording = Recording::default();
    recording.answers().await;
    recording.message().await;
    recording.bodies();
    let document = serde_json::to_value(document_with(Examples::new())).unwrap();
    let schemas = document["components"]["schemas"]
        .as_object()
        .unwrap();
    let without = schemas
        .iter()
        .filter(|(_, schema)| has_members(schema) && schema.get("examples").is_none());
    let mut examples = Examples::new();
    let mut missing = Vec::new();
    for (name, _) in without {
        match recording.fullest.remove(name) {
            Some(value) => drop(examples.insert(name.clone(), steady("", &value))),
            None => missing.push(name),
        }
    }
    assert!(missing.is_empty(), "no answer has {missing:?}");
    examples
}

fn has_members(schema: &Value) -> bool {
    schema["properties"].is_object() || schema["allOf"].is_array()
}

/// The fullest value of each schema so far.
#[derive(Default)]
struct Recording {
    fullest: BTreeMap<String, Value>,
}

impl Recording {
    /// Records an answer to each operation, and answers to reads after what follows.
    async fn answers(&mut self) {
        // The future is large.
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
        let answer = world.sends(&request).await;
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
        let (api, [max]) = tests::support::Api::signed_in(["max"]).await;
        let receiver = Receiver::start().await;
        api.has_webhook(&max, &receiver.url, &["task.*"])
            .await;
        max.creates_task(json!({})).await;
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
            let noted = self.fullest.get(name);
            if value.is_object() && noted.is_none_or(|noted| members(noted) < members(value)) {
                self.fullest
                    .insert(name.to_owned(), value.clone());
            }
            return self.note(resolved(schema), value);
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

/// Counts the members with a value.
fn members(object: &Value) -> usize {
    let members = object.as_object().into_iter().flatten();
    members
        .filter(|(_, value)| ![json!(null), json!([]), json!({})].contains(value))
        .count()
}

/// Returns a member's value with short lists, and without what differs from run to run.
fn steady(name: &str, value: &Value) -> Value {
    let placeholder = VARYING
        .iter()
        .find(|(varying, _)| *varying == name);
    match value {
        Value::String(_) | Value::Number(_) if placeholder.is_some() => {
            serde_json::from_str(placeholder.unwrap().1).unwrap()
        }
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
