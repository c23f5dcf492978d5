//! A copy of a table that lags behind it, as its indexes do on DynamoDB.

use std::{
    collections::{HashMap, HashSet},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use axum::response::{IntoResponse, Response};
use futures::{StreamExt, stream};
use serde_json::{Value, json};
use tokio::time::Instant;

use super::{
    Asked,
    asked::{ItemKey, members},
    upstream::Upstream,
};

/// An index is behind its table by this, or by fewer writes than it may be.
const LAG: Duration = Duration::from_millis(400);

/// Items that are copied at the same time.
const CONCURRENCY: usize = 32;

/// The copies of the tables that are followed; clones are the same ones.
#[derive(Clone, Debug)]
pub(super) struct Lagging {
    upstream: Upstream,
    state: Arc<State>,
}

#[derive(Debug, Default)]
struct State {
    followed: Mutex<HashMap<String, Behind>>,
    /// Whoever brings a copy forward does so alone.
    forward: tokio::sync::Mutex<()>,
}

/// Items that a copy does not have yet.
#[derive(Debug, Default)]
struct Behind(Vec<(Instant, ItemKey)>);

impl Lagging {
    pub(super) fn new(upstream: Upstream) -> Self {
        Self {
            upstream,
            state: Arc::default(),
        }
    }

    /// Begins a copy of a table that is still empty.
    pub(super) async fn follow(&self, table: &str) {
        let describe = json!({"TableName": table});
        let described = &self
            .upstream
            .expect("DescribeTable", &describe)
            .await["Table"];
        let indexes = described["GlobalSecondaryIndexes"]
            .as_array()
            .into_iter();
        let indexes: Vec<Value> = indexes
            .flatten()
            .map(|index| {
                json!({
                    "IndexName": index["IndexName"],
                    "KeySchema": index["KeySchema"],
                    "Projection": index["Projection"],
                })
            })
            .collect();
        let copy = json!({
            "TableName": copy_of(table),
            "AttributeDefinitions": described["AttributeDefinitions"],
            "KeySchema": described["KeySchema"],
            "GlobalSecondaryIndexes": indexes,
            "BillingMode": "PAY_PER_REQUEST",
        });
        self.upstream
            .expect("CreateTable", &copy)
            .await;
        let mut followed = self.followed();
        followed.insert(table.to_owned(), Behind::default());
    }

    /// Notes what a request has written.
    pub(super) fn note(&self, asked: &Asked) {
        if !asked.writes() {
            return;
        }
        let mut followed = self.followed();
        for key in asked.items() {
            if let Some(behind) = followed.get_mut(&key.0) {
                behind.0.push((Instant::now(), key));
            }
        }
    }

    /// Answers the query of an index out of the copy.
    pub(super) async fn answer(&self, asked: &Asked) -> Response {
        let table = asked.request["TableName"]
            .as_str()
            .unwrap_or_default();
        let copy = copy_of(table);
        if !self.followed().contains_key(table) {
            let (status, answer) = self.upstream.pass_on(asked).await;
            return (status, answer).into_response();
        }
        self.bring_forward(table).await;
        let mut request = asked.request.clone();
        request["TableName"] = json!(copy);
        let (status, mut answer) = self.upstream.ask(asked, &request).await;
        if answer["ConsumedCapacity"].is_object() {
            answer["ConsumedCapacity"]["TableName"] = json!(table);
        }
        (status, answer.to_string()).into_response()
    }

    /// Brings a copy to where the table was some moments ago: each item that was written before
    /// then is as it is now.
    async fn bring_forward(&self, table: &str) {
        let _alone = self.state.forward.lock().await;
        let due: HashSet<ItemKey> = {
            let mut followed = self.followed();
            let Some(behind) = followed.get_mut(table) else {
                return;
            };
            let now = Instant::now();
            let place = behind
                .0
                .partition_point(|(at, _)| now - *at > LAG);
            behind
                .0
                .drain(..place)
                .map(|(_, key)| key)
                .collect()
        };
        let copied = stream::iter(due).map(|key| self.copy(key));
        copied
            .buffer_unordered(CONCURRENCY)
            .collect::<()>()
            .await;
    }

    /// Copies an item as it is now.
    async fn copy(&self, (table, pk, sk): ItemKey) {
        let key = json!({"pk": {"S": pk}, "sk": {"S": sk}});
        let get = json!({"TableName": table, "Key": key, "ConsistentRead": true});
        let answer = self
            .upstream
            .expect("GetItem", &get)
            .await;
        let copy = copy_of(&table);
        if members(&answer["Item"])
            .next()
            .is_some()
        {
            let put = json!({"TableName": copy, "Item": answer["Item"]});
            self.upstream
                .expect("PutItem", &put)
                .await;
        } else {
            let delete = json!({"TableName": copy, "Key": key});
            self.upstream
                .expect("DeleteItem", &delete)
                .await;
        }
    }

    fn followed(&self) -> MutexGuard<'_, HashMap<String, Behind>> {
        let followed = self.state.followed.lock();
        followed.unwrap_or_else(PoisonError::into_inner)
    }
}

fn copy_of(table: &str) -> String {
    format!("{table}-lagging")
}
