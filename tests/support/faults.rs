//! A proxy before the table that fails on demand, as DynamoDB does and the embedded engine does not.

use std::sync::{Arc, Mutex};

use axum::{
    Router,
    body::Bytes,
    extract::State,
    http::{HeaderMap, StatusCode},
    response::{IntoResponse, Response},
};
use serde_json::{Value, json};

use super::engines;

/// What happens to the next request of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// It is carried out, and the answer is lost.
    LostAnswer,
    /// It is carried out by nobody: another transaction is in the way.
    Conflict,
    /// It is carried out by nobody: another write came first, and what this one expects is no more.
    Outrun,
    /// It is carried out by nobody: the table is out of capacity.
    Throttled,
    /// Of a batch read, only the first key is read.
    OneKeyRead,
    /// The item under this partition and sort key is deleted just before it is carried out.
    After(&'static str, &'static str),
}

/// The proxy; clones are the same one.
#[derive(Clone, Debug)]
pub struct Faults {
    url: String,
    next: Arc<Mutex<Vec<(&'static str, Fault)>>>,
}

#[derive(Clone)]
struct Proxy {
    table: String,
    client: reqwest::Client,
    next: Arc<Mutex<Vec<(&'static str, Fault)>>>,
}

impl Faults {
    /// A proxy on a port of its own.
    pub async fn start() -> Self {
        let next = Arc::default();
        let proxy = Proxy {
            table: engines::engines().await.dynamodb_url().to_owned(),
            client: reqwest::Client::new(),
            next: Arc::clone(&next),
        };
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let app = Router::new().fallback(forward).with_state(proxy);
        tokio::spawn(async { axum::serve(listener, app).await });
        Self { url, next }
    }

    /// Where the proxy listens.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Makes the next request of an operation fail, such as `PutItem`; several add up.
    pub fn next(&self, operation: &'static str, fault: Fault) {
        self.next.lock().unwrap().push((operation, fault));
    }

    /// Whether every fault has struck.
    pub fn are_over(&self) -> bool {
        self.next.lock().unwrap().is_empty()
    }
}

async fn forward(State(proxy): State<Proxy>, headers: HeaderMap, body: Bytes) -> Response {
    let target = headers["x-amz-target"].to_str().unwrap();
    let operation = target.rsplit('.').next().unwrap();
    let fault = {
        let mut next = proxy.next.lock().unwrap();
        let place = next.iter().position(|(name, _)| *name == operation);
        place.map(|place| next.remove(place).1)
    };
    match fault {
        None => proxy.send(headers, body).await.into_response(),
        Some(Fault::LostAnswer) => {
            let (status, answer) = proxy.send(headers, body).await;
            assert_eq!(status, 200, "{answer:?}");
            (
                StatusCode::INTERNAL_SERVER_ERROR,
                problem("InternalServerError", json!({})),
            )
                .into_response()
        }
        Some(Fault::Throttled) => {
            let body = problem("ProvisionedThroughputExceededException", json!({}));
            (StatusCode::BAD_REQUEST, body).into_response()
        }
        Some(Fault::Conflict) => {
            let body = cancelled(&body, "TransactionConflict");
            (StatusCode::BAD_REQUEST, body).into_response()
        }
        Some(Fault::Outrun) => {
            let body = if operation == "TransactWriteItems" {
                cancelled(&body, "ConditionalCheckFailed")
            } else {
                problem("ConditionalCheckFailedException", json!({}))
            };
            (StatusCode::BAD_REQUEST, body).into_response()
        }
        Some(Fault::OneKeyRead) => proxy.send_first_key(headers, body).await,
        Some(Fault::After(pk, sk)) => {
            proxy.delete(headers.clone(), &body, pk, sk).await;
            proxy.send(headers, body).await.into_response()
        }
    }
}

/// A transaction that was cancelled for its first write.
fn cancelled(transaction: &[u8], reason: &str) -> String {
    let sent: Value = serde_json::from_slice(transaction).unwrap();
    let mut reasons =
        vec![json!({"Code": "None"}); sent["TransactItems"].as_array().unwrap().len()];
    reasons[0] = json!({"Code": reason});
    let more = json!({"CancellationReasons": reasons});
    problem("TransactionCanceledException", more)
}

fn problem(code: &str, mut more: Value) -> String {
    more["__type"] = json!(format!("com.amazonaws.dynamodb.v20120810#{code}"));
    more["Message"] = json!("injected");
    more.to_string()
}

impl Proxy {
    async fn send(&self, headers: HeaderMap, body: Bytes) -> (StatusCode, Bytes) {
        let answer = self
            .client
            .post(&self.table)
            .headers(headers)
            .body(body)
            .send()
            .await
            .unwrap();
        (answer.status(), answer.bytes().await.unwrap())
    }

    /// Deletes an item of the table that a transaction writes to.
    async fn delete(&self, mut headers: HeaderMap, transaction: &[u8], pk: &str, sk: &str) {
        let transaction: Value = serde_json::from_slice(transaction).unwrap();
        let first = transaction["TransactItems"][0].as_object().unwrap();
        let table = &first.values().next().unwrap()["TableName"];
        let body = json!({"TableName": table, "Key": {"pk": {"S": pk}, "sk": {"S": sk}}});
        headers.remove("content-length");
        headers.insert(
            "x-amz-target",
            "DynamoDB_20120810.DeleteItem".parse().unwrap(),
        );
        let (status, answer) = self.send(headers, body.to_string().into()).await;
        assert_eq!(status, 200, "{answer:?}");
    }

    async fn send_first_key(&self, mut headers: HeaderMap, body: Bytes) -> Response {
        let mut asked: Value = serde_json::from_slice(&body).unwrap();
        let mut left = asked["RequestItems"].clone();
        for (table, wanted) in asked["RequestItems"].as_object_mut().unwrap() {
            let keys = wanted["Keys"].as_array_mut().unwrap();
            left[table]["Keys"] = json!(keys.split_off(1));
        }
        headers.remove("content-length");
        let (status, answer) = self.send(headers, asked.to_string().into()).await;
        let mut answer: Value = serde_json::from_slice(&answer).unwrap();
        answer["UnprocessedKeys"] = left;
        (status, answer.to_string()).into_response()
    }
}
