//! A proxy before the table that takes requests and answers apart into accesses of keys.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex},
};

use axum::{
    Router,
    body::Bytes,
    extract::State,
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse, Response},
};
use local::template::{KeyElement, Template};
use serde_json::{Value, json};
use tests::table_proxy::serve;

use crate::units::{Access, Does, Index, Item, read_units, size, text, write_units};

/// The recorder; clones are the same one.
#[derive(Clone)]
pub struct Recorder {
    url: String,
    shared: Arc<Shared>,
}

struct Shared {
    client: reqwest::Client,
    dynamodb: String,
    /// The table first, then its indexes.
    indexes: Vec<Index>,
    log: Mutex<Log>,
    /// One write at a time, so that no other comes between it and its images.
    turn: tokio::sync::Mutex<()>,
}

#[derive(Default)]
struct Log {
    /// Requests are taken apart while this is set.
    is_on: bool,
    accesses: Vec<Access>,
    /// Every partition that a recorded request named, by its index.
    partitions: BTreeSet<(Option<String>, String)>,
    mismatches: Vec<String>,
}

impl Recorder {
    /// Starts before the DynamoDB at a URL.
    pub async fn start(dynamodb: &str) -> Self {
        let shared = Arc::new(Shared {
            client: reqwest::Client::builder().no_proxy().build().unwrap(),
            dynamodb: dynamodb.to_owned(),
            indexes: indexes(),
            log: Mutex::default(),
            turn: tokio::sync::Mutex::default(),
        });
        let routes = Router::new().fallback(pass_on).with_state(shared.clone());
        let url = serve(routes).await;
        Self { url, shared }
    }

    /// Where it listens.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Does some work, and returns the accesses that it took.
    pub async fn record<T>(&self, work: impl Future<Output = T>) -> (T, Vec<Access>) {
        self.shared.log.lock().unwrap().is_on = true;
        let output = work.await;
        let mut log = self.shared.log.lock().unwrap();
        log.is_on = false;
        (output, std::mem::take(&mut log.accesses))
    }

    /// Every partition that a recorded request named, by its index.
    pub fn partitions(&self) -> BTreeSet<(Option<String>, String)> {
        self.shared.log.lock().unwrap().partitions.clone()
    }

    /// Requests of which the engine counts other units than this program.
    pub fn mismatches(&self) -> Vec<String> {
        self.shared.log.lock().unwrap().mismatches.clone()
    }
}

/// The table of the template, and its indexes.
fn indexes() -> Vec<Index> {
    let table = Template::deployed().unwrap().table;
    let key = |key: &[KeyElement]| {
        let attribute = |kind: &str| {
            let mut elements = key.iter();
            let element = elements.find(|element| element.kind == kind);
            element.unwrap().attribute.clone()
        };
        [attribute("HASH"), attribute("RANGE")]
    };
    let of_table = key(&table.key);
    let mut indexes = vec![Index {
        name: None,
        key: of_table.clone(),
        only: None,
    }];
    for index in table.indexes {
        let key = key(&index.key);
        let only = match index.projection.as_str() {
            "ALL" => None,
            "KEYS_ONLY" => Some([of_table.clone(), key.clone()].concat()),
            other => panic!("{} projects {other}", index.name),
        };
        indexes.push(Index {
            name: Some(index.name),
            key,
            only,
        });
    }
    indexes
}

async fn pass_on(State(shared): State<Arc<Shared>>, headers: HeaderMap, body: Bytes) -> Response {
    let target = headers["x-amz-target"].to_str().unwrap();
    let operation = target.rsplit('.').next().unwrap().to_owned();
    let mut request: Value = serde_json::from_slice(&body).unwrap();
    if request.get("ReturnConsumedCapacity").is_some() {
        request["ReturnConsumedCapacity"] = json!("INDEXES");
    }
    if !shared.log.lock().unwrap().is_on {
        let (status, text) = shared.ask(&headers, &operation, &request).await;
        return response(status, text);
    }
    let writes = writes(&operation, &request);
    let turn = shared.turn.lock();
    let _turn = if writes.is_empty() {
        None
    } else {
        Some(turn.await)
    };
    let before = shared.images(&headers, &writes).await;
    let (status, text) = shared.ask(&headers, &operation, &request).await;
    let answer: Value = serde_json::from_str(&text).unwrap_or_default();
    let accesses = if writes.is_empty() {
        shared.reads(&operation, &request, &answer)
    } else if status.is_success() {
        let after = shared.images(&headers, &writes).await;
        shared.written(&writes, &before, &after)
    } else {
        refused(&writes, &before)
    };
    shared.note(&operation, &answer, accesses);
    response(status, text)
}

fn response(status: StatusCode, text: String) -> Response {
    let kind = [(header::CONTENT_TYPE, "application/x-amz-json-1.0")];
    (status, kind, text).into_response()
}

/// A write of a request.
struct Write {
    table: Value,
    key: [String; 2],
    is_transaction: bool,
    /// Only checks its item.
    is_check: bool,
}

fn writes(operation: &str, request: &Value) -> Vec<Write> {
    let write = |table: &Value, kind: &str, write: &Value| {
        let key = write.get("Key").or_else(|| write.get("Item")).unwrap();
        let key = ["pk", "sk"].map(|name| key[name]["S"].as_str().unwrap().to_owned());
        Write {
            table: table.clone(),
            key,
            is_transaction: operation == "TransactWriteItems",
            is_check: kind == "ConditionCheck",
        }
    };
    let members = |value: &Value| value.as_object().cloned().unwrap_or_default();
    match operation {
        "PutItem" | "UpdateItem" | "DeleteItem" => {
            vec![write(&request["TableName"], operation, request)]
        }
        "TransactWriteItems" => {
            let items = request["TransactItems"].as_array().into_iter().flatten();
            let items = items.flat_map(members);
            items
                .map(|(kind, one)| write(&one["TableName"], &kind, &one))
                .collect()
        }
        "BatchWriteItem" => {
            let mut all = Vec::new();
            for (table, requests) in members(&request["RequestItems"]) {
                let requests = requests.as_array().into_iter().flatten();
                for (kind, one) in requests.flat_map(members) {
                    all.push(write(&json!(table), &kind, &one));
                }
            }
            all
        }
        _ => Vec::new(),
    }
}

/// The accesses of writes whose conditions failed. They cost the table, and no index.
fn refused(writes: &[Write], before: &[Option<Item>]) -> Vec<Access> {
    let both = writes.iter().zip(before);
    both.map(|(write, old)| unchanged(write, old.as_ref()))
        .collect()
}

/// The access of a write that leaves its item as it is.
fn unchanged(write: &Write, item: Option<&Item>) -> Access {
    let [partition, sort] = write.key.clone();
    let times = if write.is_transaction { 2.0 } else { 1.0 };
    Access {
        index: None,
        partition,
        sort: Some(sort),
        units: times * write_units(item.map_or(0, size)),
        does: Does::Change,
    }
}

impl Shared {
    async fn ask(
        &self,
        headers: &HeaderMap,
        operation: &str,
        request: &Value,
    ) -> (StatusCode, String) {
        let mut headers = headers.clone();
        headers.remove(header::CONTENT_LENGTH);
        headers.remove(header::HOST);
        let target = format!("DynamoDB_20120810.{operation}");
        headers.insert("x-amz-target", target.parse().unwrap());
        let asked = self.client.post(&self.dynamodb).headers(headers);
        let answer = asked.body(request.to_string()).send().await.unwrap();
        (answer.status(), answer.text().await.unwrap())
    }

    /// The items of writes as they are now.
    async fn images(&self, headers: &HeaderMap, writes: &[Write]) -> Vec<Option<Item>> {
        let mut images = Vec::new();
        for write in writes {
            let [pk, sk] = &write.key;
            let key = json!({"pk": {"S": pk}, "sk": {"S": sk}});
            let read = json!({"TableName": write.table, "Key": key, "ConsistentRead": true});
            let (status, answer) = self.ask(headers, "GetItem", &read).await;
            assert!(status.is_success(), "{answer}");
            let answer: Value = serde_json::from_str(&answer).unwrap();
            images.push(answer["Item"].as_object().cloned());
        }
        images
    }

    fn written(
        &self,
        writes: &[Write],
        before: &[Option<Item>],
        after: &[Option<Item>],
    ) -> Vec<Access> {
        let mut all = Vec::new();
        for (write, (old, new)) in writes.iter().zip(before.iter().zip(after)) {
            if write.is_check || (old.is_none() && new.is_none()) {
                all.push(unchanged(write, old.as_ref()));
                continue;
            }
            for index in &self.indexes {
                all.extend(index.written(old.as_ref(), new.as_ref(), write.is_transaction));
            }
        }
        all
    }

    /// The accesses of reads by key, from what was found, and those of a query, as the engine counts them.
    fn reads(&self, operation: &str, request: &Value, answer: &Value) -> Vec<Access> {
        match operation {
            "GetItem" => {
                let is_consistent = request["ConsistentRead"] == json!(true);
                vec![read(
                    &request["Key"],
                    answer["Item"].as_object(),
                    is_consistent,
                )]
            }
            "BatchGetItem" => {
                let tables = request["RequestItems"].as_object().into_iter().flatten();
                let mut all = Vec::new();
                for (table, wanted) in tables {
                    let found = answer["Responses"][table].as_array();
                    let found = |key: &Value| {
                        let mut items = found.into_iter().flatten();
                        let same =
                            |item: &&Value| item["pk"] == key["pk"] && item["sk"] == key["sk"];
                        items.find(same).and_then(Value::as_object)
                    };
                    let is_consistent = wanted["ConsistentRead"] == json!(true);
                    let keys = wanted["Keys"].as_array().into_iter().flatten();
                    all.extend(keys.map(|key| read(key, found(key), is_consistent)));
                }
                all
            }
            "Query" => vec![self.queried(request, answer)],
            _ => Vec::new(),
        }
    }

    fn queried(&self, request: &Value, answer: &Value) -> Access {
        let name = request["IndexName"].as_str();
        let mut indexes = self.indexes.iter();
        let index = indexes.find(|index| index.name.as_deref() == name).unwrap();
        let [partition, sort] = &index.key;
        // `#0 = :0 AND #1 >= :1`, in which one name is that of the partition key.
        let condition = request["KeyConditionExpression"].as_str().unwrap();
        let words: Vec<&str> = condition.split_whitespace().collect();
        let mut terms = words.windows(3);
        let term = terms.find(|term| {
            term[1] == "=" && request["ExpressionAttributeNames"][term[0]] == json!(partition)
        });
        let value = &request["ExpressionAttributeValues"][term.unwrap()[2]]["S"];
        let first = answer["Items"][0].as_object();
        Access {
            index: index.name.clone(),
            partition: value.as_str().unwrap().to_owned(),
            sort: first.and_then(|item| text(item, sort)),
            units: answer["ConsumedCapacity"]["CapacityUnits"]
                .as_f64()
                .unwrap(),
            does: Does::Read,
        }
    }

    /// Keeps accesses, and compares their units with those of the engine.
    fn note(&self, operation: &str, answer: &Value, accesses: Vec<Access>) {
        let mut log = self.log.lock().unwrap();
        for access in &accesses {
            let partition = (access.index.clone(), access.partition.clone());
            log.partitions.insert(partition);
        }
        if let Some(counted) = consumed(&answer["ConsumedCapacity"]) {
            let mut own = BTreeMap::<String, f64>::new();
            for access in &accesses {
                let index = access.index.clone().unwrap_or_default();
                *own.entry(index).or_default() += access.units;
            }
            if own != counted {
                let mismatch = format!("{operation}: {own:?}, and the engine {counted:?}");
                log.mismatches.push(mismatch);
            }
        }
        log.accesses.extend(accesses);
    }
}

fn read(key: &Value, found: Option<&Item>, is_consistent: bool) -> Access {
    let [partition, sort] = ["pk", "sk"].map(|name| key[name]["S"].as_str().unwrap().to_owned());
    Access {
        index: None,
        partition,
        sort: Some(sort),
        units: read_units(found.map_or(0, size), is_consistent),
        does: Does::Read,
    }
}

/// The engine's units of a request by index; the table's is the empty name.
fn consumed(capacity: &Value) -> Option<BTreeMap<String, f64>> {
    let tables = match capacity {
        Value::Array(tables) => tables.as_slice(),
        Value::Object(_) => std::slice::from_ref(capacity),
        _ => return None,
    };
    let mut units = BTreeMap::new();
    for table in tables {
        let mut add = |index: &str, counted: &Value| {
            if let Some(counted) = counted["CapacityUnits"].as_f64().filter(|one| *one > 0.0) {
                *units.entry(index.to_owned()).or_default() += counted;
            }
        };
        add("", &table["Table"]);
        let indexes = table["GlobalSecondaryIndexes"].as_object();
        for (name, counted) in indexes.into_iter().flatten() {
            add(name, counted);
        }
    }
    Some(units)
}
