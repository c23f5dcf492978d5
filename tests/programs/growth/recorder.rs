//! A proxy before the table that takes requests and answers apart into accesses of keys.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex},
};

use axum::{
    Router,
    extract::State,
    response::{IntoResponse, Response},
};
use local::template::{KeyElement, Template};
use serde_json::{Value, json};
use tests::table_proxy::{Asked, ItemKey, Upstream, serve};

use crate::units::{Access, Does, Index, Item, read_units, size, text, write_units};

/// The recorder; clones are the same one.
#[derive(Clone)]
pub struct Recorder {
    url: String,
    shared: Arc<Shared>,
}

struct Shared {
    upstream: Upstream,
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
            upstream: Upstream::new(dynamodb),
            indexes: indexes(),
            log: Mutex::default(),
            turn: tokio::sync::Mutex::default(),
        });
        let url = serve(
            Router::new()
                .fallback(pass_on)
                .with_state(shared.clone()),
        )
        .await;
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
        self.shared
            .log
            .lock()
            .unwrap()
            .partitions
            .clone()
    }

    /// Requests of which the engine counts other units than this program.
    pub fn mismatches(&self) -> Vec<String> {
        self.shared
            .log
            .lock()
            .unwrap()
            .mismatches
            .clone()
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

async fn pass_on(State(shared): State<Arc<Shared>>, mut asked: Asked) -> Response {
    if asked
        .request
        .get("ReturnConsumedCapacity")
        .is_some()
    {
        asked.request["ReturnConsumedCapacity"] = json!("INDEXES");
    }
    let passed = shared
        .upstream
        .ask(&asked, &asked.request);
    if !shared.log.lock().unwrap().is_on {
        let (status, answer) = passed.await;
        return (status, answer.to_string()).into_response();
    }
    let writes = writes(&asked);
    let _turn = match &*writes {
        [] => None,
        _ => Some(shared.turn.lock().await),
    };
    let before = shared.images(&writes).await;
    let (status, answer) = passed.await;
    let accesses = if writes.is_empty() {
        shared.reads(&asked.operation, &asked.request, &answer)
    } else if status.is_success() {
        shared.written(&writes, &before, &shared.images(&writes).await)
    } else {
        refused(&writes, &before)
    };
    shared.note(&asked.operation, &answer, accesses);
    (status, answer.to_string()).into_response()
}

/// A write of a request.
struct Write {
    item: ItemKey,
    is_transaction: bool,
    /// Only checks its item.
    is_check: bool,
}

fn writes(asked: &Asked) -> Vec<Write> {
    let mut kinds = asked
        .transaction()
        .into_iter()
        .map(|(kind, _)| kind);
    let writes = asked
        .items()
        .into_iter()
        .map(|item| Write {
            item,
            is_transaction: asked.operation == "TransactWriteItems",
            is_check: kinds.next() == Some("ConditionCheck"),
        });
    writes.collect()
}

/// The accesses of writes whose conditions failed. They cost the table, and no index.
fn refused(writes: &[Write], before: &[Option<Item>]) -> Vec<Access> {
    let both = writes.iter().zip(before);
    both.map(|(write, old)| unchanged(write, old.as_ref()))
        .collect()
}

/// The access of a write that leaves its item as it is.
fn unchanged(write: &Write, item: Option<&Item>) -> Access {
    let (_, partition, sort) = write.item.clone();
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
    /// The items of writes as they are now.
    async fn images(&self, writes: &[Write]) -> Vec<Option<Item>> {
        let mut images = Vec::new();
        for Write { item, .. } in writes {
            let (table, pk, sk) = item;
            let key = json!({"pk": {"S": pk}, "sk": {"S": sk}});
            let read = json!({"TableName": table, "Key": key, "ConsistentRead": true});
            let answer = self
                .upstream
                .expect("GetItem", &read)
                .await;
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
        let mut accesses = Vec::new();
        for (write, (old, new)) in writes
            .iter()
            .zip(before.iter().zip(after))
        {
            if write.is_check || (old.is_none() && new.is_none()) {
                accesses.push(unchanged(write, old.as_ref()));
                continue;
            }
            for index in &self.indexes {
                accesses.extend(index.written(old.as_ref(), new.as_ref(), write.is_transaction));
            }
        }
        accesses
    }

    /// The accesses of reads by key, from what was found, and those of a query, as the engine
    /// counts them.
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
                let tables = request["RequestItems"]
                    .as_object()
                    .into_iter()
                    .flatten();
                let mut accesses = Vec::new();
                for (table, wanted) in tables {
                    let responses = answer["Responses"][table].as_array();
                    let item_of = |key: &Value| {
                        let mut items = responses.into_iter().flatten();
                        let item =
                            items.find(|item| item["pk"] == key["pk"] && item["sk"] == key["sk"]);
                        item.and_then(Value::as_object)
                    };
                    let is_consistent = wanted["ConsistentRead"] == json!(true);
                    let keys = wanted["Keys"]
                        .as_array()
                        .into_iter()
                        .flatten();
                    accesses.extend(keys.map(|key| read(key, item_of(key), is_consistent)));
                }
                accesses
            }
            "Query" => vec![self.queried(request, answer)],
            _ => Vec::new(),
        }
    }

    fn queried(&self, request: &Value, answer: &Value) -> Access {
        let name = request["IndexName"].as_str();
        let mut indexes = self.indexes.iter();
        let index = indexes
            .find(|index| index.name.as_deref() == name)
            .unwrap();
        let [partition, sort] = &index.key;
        // `#0 = :0 AND #1 >= :1`, in which one name is that of the partition key.
        let condition = request["KeyConditionExpression"]
            .as_str()
            .unwrap();
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

fn read(key: &Value, item: Option<&Item>, is_consistent: bool) -> Access {
    let [partition, sort] = ["pk", "sk"].map(|name| {
        key[name]["S"]
            .as_str()
            .unwrap()
            .to_owned()
    });
    Access {
        index: None,
        partition,
        sort: Some(sort),
        units: read_units(item.map_or(0, size), is_consistent),
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
            if let Some(counted) = counted["CapacityUnits"]
                .as_f64()
                .filter(|number| *number > 0.0)
            {
                *units
                    .entry(index.to_owned())
                    .or_default() += counted;
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
