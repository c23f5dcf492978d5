//! A proxy before the table that fails on demand, as DynamoDB does and the embedded engine does not.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use axum::{
    Router,
    body::Bytes,
    extract::State,
    http::{HeaderMap, StatusCode},
    response::{IntoResponse, Response},
};
use serde_json::{Value, json};
use tokio::{sync::watch, time::Instant};

use super::engines;

/// Until then what is waited for has happened, or it does not.
const PATIENCE: Duration = Duration::from_secs(50);

/// For so long nothing may happen before the proxy counts as quiet.
const QUIET: Duration = Duration::from_millis(20);

/// Which requests a lasting fault is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Requests {
    /// Those of this kind, such as `PutItem`.
    Of(&'static str),
    /// Transactions that write to a partition whose key ends so.
    Writing(&'static str),
    /// The batch that finds out who calls.
    Authentication,
    /// All others of the service.
    BesideAuthentication,
}

/// What happens to a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// It is carried out, and the answer is lost.
    LostAnswer,
    /// It is carried out by nobody: another transaction is in the way.
    Conflict,
    /// The same, in the way of its last write.
    ConflictAtLast,
    /// It is carried out by nobody: another write came first, and what this one expects is no more.
    Outrun,
    /// It is carried out by nobody: the table is out of capacity.
    Throttled,
    /// It is carried out by nobody: the table wants nothing to do with who asks.
    Denied,
    /// Of a batch read, only the first key is read.
    OneKeyRead,
    /// The item under this partition and sort key is deleted just before it is carried out.
    After(&'static str, &'static str),
}

/// Where a function dies: at a request of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Death {
    /// Before it is carried out.
    Before,
    /// After it was carried out, before the answer is heard of.
    After,
}

/// The proxy; clones are the same one.
#[derive(Clone, Debug)]
pub struct Faults {
    url: String,
    plan: Arc<Plan>,
}

/// What is to happen, and what is happening.
#[derive(Debug, Default)]
struct Plan {
    next: Mutex<Vec<(&'static str, Fault)>>,
    lasting: Mutex<Option<(Requests, Fault)>>,
    /// The requests that wait until it is none.
    held: watch::Sender<Option<Requests>>,
    /// How many requests go by before the one that never ends, and how that does.
    death: Mutex<Option<(usize, Death)>>,
    waiting: AtomicUsize,
    under_way: AtomicUsize,
    seen: AtomicUsize,
}

#[derive(Clone)]
struct Proxy {
    table: String,
    client: reqwest::Client,
    plan: Arc<Plan>,
}

impl Requests {
    fn include(self, operation: &str, body: &[u8]) -> bool {
        // Only the tests themselves scan.
        match self {
            Self::Of(name) => name == operation,
            Self::Writing(partition) => {
                let key = format!("{partition}\"");
                operation == "TransactWriteItems" && has(body, key.as_bytes())
            }
            Self::Authentication => authenticates(operation, body),
            Self::BesideAuthentication => {
                let before = names_the_owner(operation, body);
                operation != "Scan" && !before && !authenticates(operation, body)
            }
        }
    }
}

/// Whether a request reads a session of sign-in or a token, whose partition is a user's.
fn authenticates(operation: &str, body: &[u8]) -> bool {
    let of_session = has(body, br#"#SESSION""#) || has(body, br#"#TOKEN""#);
    operation == "BatchGetItem" && of_session
}

/// Whether a request finds out whose a token is, before anything else can be asked.
fn names_the_owner(operation: &str, body: &[u8]) -> bool {
    operation == "GetItem" && has(body, br#""TOKEN#"#)
}

fn has(body: &[u8], text: &[u8]) -> bool {
    body.windows(text.len()).any(|part| part == text)
}

impl Faults {
    /// A proxy on a port of its own.
    pub async fn start() -> Self {
        let plan = Arc::default();
        let proxy = Proxy {
            table: engines::engines().await.dynamodb_url().to_owned(),
            client: reqwest::Client::new(),
            plan: Arc::clone(&plan),
        };
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let app = Router::new().fallback(forward).with_state(proxy);
        tokio::spawn(async { axum::serve(listener, app).await });
        Self { url, plan }
    }

    /// Where the proxy listens.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Makes the next request of an operation fail, such as `PutItem`; several add up.
    pub fn next(&self, operation: &'static str, fault: Fault) {
        self.plan.next.lock().unwrap().push((operation, fault));
    }

    /// Whether every fault has struck.
    pub fn are_over(&self) -> bool {
        self.plan.next.lock().unwrap().is_empty()
    }

    /// Makes all these requests fail until [`end`](Self::end).
    pub fn begin(&self, requests: Requests, fault: Fault) {
        *self.plan.lasting.lock().unwrap() = Some((requests, fault));
    }

    pub fn end(&self) {
        *self.plan.lasting.lock().unwrap() = None;
    }

    /// Keeps these requests waiting until [`release`](Self::release).
    pub fn hold(&self, requests: Requests) {
        self.plan.held.send_replace(Some(requests));
    }

    pub fn release(&self) {
        self.plan.held.send_replace(None);
    }

    /// Lets so many requests go by and never answers the next one.
    pub fn dies_at(&self, request: usize, death: Death) {
        *self.plan.death.lock().unwrap() = Some((request, death));
    }

    /// Answers all that comes, from now on.
    pub fn lives(&self) {
        *self.plan.death.lock().unwrap() = None;
    }

    /// Waits until at least so many requests are held and nothing else goes on for a while.
    pub async fn holds(&self, requests: usize) {
        let plan = &self.plan;
        let start = Instant::now();
        loop {
            let (waiting, under_way) = (&plan.waiting, &plan.under_way);
            assert!(
                start.elapsed() < PATIENCE,
                "{waiting:?} of {requests} are held, {under_way:?} are under way"
            );
            let seen = plan.seen.load(Ordering::SeqCst);
            tokio::time::sleep(QUIET).await;
            let waiting = plan.waiting.load(Ordering::SeqCst);
            if waiting >= requests
                && plan.under_way.load(Ordering::SeqCst) == waiting
                && plan.seen.load(Ordering::SeqCst) == seen
            {
                return;
            }
        }
    }
}

impl Plan {
    /// Whether a request that has just come in is the one that never ends.
    fn death(&self, operation: &str) -> Option<Death> {
        let mut death = self.death.lock().unwrap();
        // Only the tests themselves scan.
        let (left, how) = death.as_mut().filter(|_| operation != "Scan")?;
        if *left == 0 {
            let how = *how;
            *death = None;
            return Some(how);
        }
        *left -= 1;
        None
    }

    /// The fault of a request that has just come in, after it was kept waiting, if it is to be.
    async fn fault(&self, operation: &str, body: &[u8]) -> Option<Fault> {
        let mut held = self.held.subscribe();
        let waits = |held: &Option<Requests>| held.is_some_and(|of| of.include(operation, body));
        if waits(&held.borrow()) {
            let _waiting = Counted::on(&self.waiting);
            held.wait_for(|held| !waits(held)).await.unwrap();
        }
        let lasting = *self.lasting.lock().unwrap();
        if let Some((requests, fault)) = lasting
            && requests.include(operation, body)
        {
            return Some(fault);
        }
        let mut next = self.next.lock().unwrap();
        let place = next.iter().position(|(name, _)| *name == operation);
        place.map(|place| next.remove(place).1)
    }
}

async fn forward(State(proxy): State<Proxy>, headers: HeaderMap, body: Bytes) -> Response {
    let plan = Arc::clone(&proxy.plan);
    plan.seen.fetch_add(1, Ordering::SeqCst);
    let _under_way = Counted::on(&plan.under_way);
    proxy.answer(headers, body).await
}

/// Counts a request for as long as anybody cares for it: who sent it may hang up.
struct Counted<'a>(&'a AtomicUsize);

impl<'a> Counted<'a> {
    fn on(count: &'a AtomicUsize) -> Self {
        count.fetch_add(1, Ordering::SeqCst);
        Self(count)
    }
}

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

/// A transaction that was cancelled for its first write.
fn cancelled(transaction: &[u8], reason: &str) -> String {
    cancelled_at(transaction, |_| 0, reason)
}

/// A transaction that was cancelled for one of its writes.
fn cancelled_at(transaction: &[u8], place: fn(usize) -> usize, reason: &str) -> String {
    let sent: Value = serde_json::from_slice(transaction).unwrap();
    let mut reasons =
        vec![json!({"Code": "None"}); sent["TransactItems"].as_array().unwrap().len()];
    let place = place(reasons.len());
    reasons[place] = json!({"Code": reason});
    let more = json!({"CancellationReasons": reasons});
    problem("TransactionCanceledException", more)
}

fn problem(code: &str, mut more: Value) -> String {
    more["__type"] = json!(format!("com.amazonaws.dynamodb.v20120810#{code}"));
    more["Message"] = json!("injected");
    more.to_string()
}

impl Proxy {
    async fn answer(self, headers: HeaderMap, body: Bytes) -> Response {
        let target = headers["x-amz-target"].to_str().unwrap();
        let operation = target.rsplit('.').next().unwrap().to_owned();
        if let Some(death) = self.plan.death(&operation) {
            if death == Death::After {
                self.send(headers, body).await;
            }
            let _waiting = Counted::on(&self.plan.waiting);
            return std::future::pending().await;
        }
        match self.plan.fault(&operation, &body).await {
            None => self.send(headers, body).await.into_response(),
            Some(Fault::LostAnswer) => {
                let (status, answer) = self.send(headers, body).await;
                assert_eq!(status, 200, "{answer:?}");
                let problem = problem("InternalServerError", json!({}));
                (StatusCode::INTERNAL_SERVER_ERROR, problem).into_response()
            }
            Some(Fault::Throttled) => {
                let body = problem("ProvisionedThroughputExceededException", json!({}));
                (StatusCode::BAD_REQUEST, body).into_response()
            }
            Some(Fault::Denied) => {
                let body = problem("AccessDeniedException", json!({}));
                (StatusCode::BAD_REQUEST, body).into_response()
            }
            Some(Fault::Conflict) => {
                let body = cancelled(&body, "TransactionConflict");
                (StatusCode::BAD_REQUEST, body).into_response()
            }
            Some(Fault::ConflictAtLast) => {
                let body = cancelled_at(&body, |writes| writes - 1, "TransactionConflict");
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
            Some(Fault::OneKeyRead) => self.send_first_key(headers, body).await,
            Some(Fault::After(pk, sk)) => {
                self.delete(headers.clone(), &body, pk, sk).await;
                self.send(headers, body).await.into_response()
            }
        }
    }

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
