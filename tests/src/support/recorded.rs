//! The record of a release: its document, its table before and after a request to each operation,
//! and these requests.

use std::{fs, path::PathBuf};

use aws_sdk_dynamodb::{primitives::Blob, types::AttributeValue};
use base64::{Engine, prelude::BASE64_STANDARD};
use serde_json::{Map, Value, json};
use shared::model::base::Timestamp;

use crate::path;

use super::{Concierge, Item, Request, Settings, World, document, key_of};

/// Operations that call the provider of a sign-in, or delete it. No record has one.
const OF_PROVIDERS: [&str; 6] = [
    "DELETE /api/organizations/{id}/sign-in",
    "GET /api/auth/oidc",
    "GET /api/auth/oidc/callback",
    "GET /api/auth/oidc/callback/{organization}",
    "POST /api/organizations/{id}/sign-in/test",
    "PUT /api/organizations/{id}/sign-in",
];

/// The record of a release, in a folder of `tests/releases` with its version.
#[derive(Debug)]
pub struct Record {
    pub version: String,
}

/// The items of a table at an instant.
#[derive(Clone, Debug)]
pub struct Table {
    pub at: Timestamp,
    pub items: Vec<Item>,
}

impl Record {
    /// The record of the last release, which is the only one.
    pub fn last() -> Self {
        let releases = fs::read_dir(path("tests/releases")).unwrap();
        let releases = releases.map(|entry| {
            entry
                .unwrap()
                .file_name()
                .into_string()
                .unwrap()
        });
        let mut releases: Vec<String> = releases.collect();
        assert_eq!(releases.len(), 1, "one release is kept: {releases:?}");
        let version = releases.remove(0);
        Self { version }
    }

    /// Writes the record of this version in the place of the last one.
    pub async fn write() {
        let _ = fs::remove_dir_all(path("tests/releases"));
        let record = Self {
            version: env!("CARGO_PKG_VERSION").to_owned(),
        };
        fs::create_dir_all(record.file("")).unwrap();
        let text = document().to_pretty_json().unwrap() + "\n";
        fs::write(record.file("openapi.json"), text).unwrap();
        let world = World::start().await;
        record
            .keep("before.ndjson", &world)
            .await;
        let mut requests = world.requests();
        requests.retain(|request| !OF_PROVIDERS.contains(&request.operation().as_str()));
        let url = json!(world.concierge.demo.url());
        let requests = requests
            .iter()
            .map(|request| json!(request));
        record.put("requests.ndjson", std::iter::once(url).chain(requests));
        world.fill().await;
        record
            .keep("after.ndjson", &world)
            .await;
    }

    pub fn document(&self) -> Value {
        serde_json::from_str(&self.text("openapi.json")).unwrap()
    }

    /// The table before the requests.
    pub fn before(&self) -> Table {
        self.table("before.ndjson")
    }

    /// The table after the requests, and after all that followed.
    pub fn after(&self) -> Table {
        self.table("after.ndjson")
    }

    /// The requests, with the target systems of this world.
    pub fn requests(&self, concierge: &Concierge) -> Vec<Request> {
        let text = self.text("requests.ndjson");
        let (url, requests) = text.split_once('\n').unwrap();
        let url = url.trim_matches('"');
        // Release 2.0 took any name as the kind of a system, and no unit of its amounts.
        let connection = r#""amounts":"minor","kind":"billing""#;
        let requests = requests.replace(r#""kind":"demo""#, connection);
        let requests = requests.replace(url, concierge.demo.url());
        let requests = requests
            .lines()
            .map(serde_json::from_str);
        requests.map(Result::unwrap).collect()
    }

    fn table(&self, name: &str) -> Table {
        let text = self.text(name);
        let mut lines = text
            .lines()
            .map(|line| serde_json::from_str(line).unwrap());
        let at = serde_json::from_value(lines.next().unwrap()).unwrap();
        let items = lines
            .map(|line: Value| item(&line))
            .collect();
        Table { at, items }
    }

    async fn keep(&self, name: &str, world: &World) {
        let mut items = world.api().items().await;
        items.sort_by_key(key_of);
        let at = json!(world.api().clock.now());
        let items = items
            .iter()
            .map(|item| Value::Object(members(item)));
        self.put(name, std::iter::once(at).chain(items));
    }

    fn file(&self, name: &str) -> PathBuf {
        path("tests/releases")
            .join(&self.version)
            .join(name)
    }

    fn text(&self, name: &str) -> String {
        fs::read_to_string(self.file(name)).unwrap()
    }

    fn put(&self, name: &str, lines: impl Iterator<Item = Value>) {
        let lines: Vec<String> = lines
            .map(|line| line.to_string())
            .collect();
        fs::write(self.file(name), lines.join("\n") + "\n").unwrap();
    }
}

impl Table {
    /// Starts all functions on a table with these items.
    pub async fn start(&self) -> Concierge {
        let settings = Settings {
            table: Some(self.clone()),
            ..Settings::default()
        };
        Box::pin(Concierge::start_in(settings)).await
    }
}

/// DynamoDB's own JSON.
fn members(item: &Item) -> Map<String, Value> {
    let members = item.iter();
    let members = members.map(|(name, value)| (name.clone(), written(value)));
    members.collect()
}

fn written(value: &AttributeValue) -> Value {
    let sorted = |values: &Vec<String>| {
        let mut values = values.clone();
        values.sort();
        json!(values)
    };
    match value {
        AttributeValue::S(text) => json!({ "S": text }),
        AttributeValue::N(digits) => json!({ "N": digits }),
        AttributeValue::Bool(value) => json!({ "BOOL": value }),
        AttributeValue::Null(_) => json!({ "NULL": true }),
        AttributeValue::B(bytes) => json!({ "B": BASE64_STANDARD.encode(bytes) }),
        AttributeValue::Ss(texts) => json!({ "SS": sorted(texts) }),
        AttributeValue::Ns(numbers) => json!({ "NS": sorted(numbers) }),
        AttributeValue::L(values) => json!({ "L": values.iter().map(written).collect::<Value>() }),
        AttributeValue::M(item) => json!({ "M": members(item) }),
        other => panic!("no record has {other:?}"),
    }
}

fn item(members: &Value) -> Item {
    let members = members.as_object().unwrap().iter();
    let members = members.map(|(name, value)| (name.clone(), read(value)));
    members.collect()
}

fn read(value: &Value) -> AttributeValue {
    let (kind, value) = value
        .as_object()
        .unwrap()
        .iter()
        .next()
        .unwrap();
    let text = || value.as_str().unwrap().to_owned();
    let texts = || serde_json::from_value(value.clone()).unwrap();
    match kind.as_str() {
        "S" => AttributeValue::S(text()),
        "N" => AttributeValue::N(text()),
        "BOOL" => AttributeValue::Bool(value.as_bool().unwrap()),
        "NULL" => AttributeValue::Null(true),
        "B" => AttributeValue::B(Blob::new(BASE64_STANDARD.decode(text()).unwrap())),
        "SS" => AttributeValue::Ss(texts()),
        "NS" => AttributeValue::Ns(texts()),
        "L" => AttributeValue::L(
            value
                .as_array()
                .unwrap()
                .iter()
                .map(read)
                .collect(),
        ),
        "M" => AttributeValue::M(item(value)),
        other => panic!("no record has {other}"),
    }
}
