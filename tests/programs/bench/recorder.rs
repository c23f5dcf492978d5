//! A proxy in front of the table. Writes down the requests of a function.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
    time::Duration,
};

use axum::{
    Router,
    body::Bytes,
    extract::State,
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse, Response},
};
use serde_json::{Value, json};
use tests::Release;

use crate::{reads::Function, served::Served};

/// Delay of an answer. Requests that the function does not wait for come before it.
const HOLD: Duration = Duration::from_millis(50);

/// The path and the requests to the table of all reads of a function, as `bare-sdk` takes them.
pub async fn record(world: &Release, function: &Function) -> String {
    let recorder = Recorder::start(world.table_url()).await;
    let table = [("AWS_ENDPOINT_URL_DYNAMODB", recorder.url.as_str())];
    let served = Served::start(world, function.name, &table).await;
    let mut requests = BTreeMap::new();
    for read in function.reads {
        let event = world.event("GET", read.path, None);
        // The first answer comes after requests of the start.
        served.expect(&event, 200).await;
        recorder.take();
        served.expect(&event, 200).await;
        requests.insert(
            event["rawPath"].as_str().unwrap().to_owned(),
            recorder.take(),
        );
    }
    serde_json::to_string(&requests).unwrap()
}

struct Recorder {
    url: String,
    log: Arc<Mutex<Log>>,
}

/// Requests in turns: one is of the turn after the last one in which any had been answered when it
/// came.
#[derive(Default)]
struct Log {
    turns: Vec<Vec<Value>>,
    answered: usize,
}

#[derive(Clone)]
struct Proxy {
    client: reqwest::Client,
    table: String,
    log: Arc<Mutex<Log>>,
}

impl Recorder {
    async fn start(table: &str) -> Self {
        let log = Arc::new(Mutex::new(Log::default()));
        let proxy = Proxy {
            client: reqwest::Client::builder().no_proxy().build().unwrap(),
            table: table.to_owned(),
            log: log.clone(),
        };
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let routes = Router::new().fallback(forward).with_state(proxy);
        tokio::spawn(async { axum::serve(listener, routes).await });
        Self { url, log }
    }

    /// Returns the turns so far, and starts again without any.
    fn take(&self) -> Vec<Vec<Value>> {
        std::mem::take(&mut *self.log.lock().unwrap()).turns
    }
}

async fn forward(State(proxy): State<Proxy>, headers: HeaderMap, body: Bytes) -> Response {
    let target = headers["x-amz-target"].to_str().unwrap();
    let operation = target.rsplit('.').next().unwrap();
    let request: Value = serde_json::from_slice(&body).unwrap();
    let turn = proxy.asked(json!({"operation": operation, "body": request}));
    let sent = proxy.client.post(&proxy.table).headers(headers).body(body);
    let answer = sent.send().await.unwrap();
    let status = StatusCode::from_u16(answer.status().as_u16()).unwrap();
    let kind = [(header::CONTENT_TYPE, "application/x-amz-json-1.0")];
    let body = answer.bytes().await.unwrap();
    tokio::time::sleep(HOLD).await;
    proxy.answered(turn);
    (status, kind, body).into_response()
}

impl Proxy {
    /// Writes a request down and tells its turn, of which the first is 0.
    fn asked(&self, request: Value) -> usize {
        let mut log = self.log.lock().unwrap();
        let turn = log.answered;
        if log.turns.len() == turn {
            log.turns.push(Vec::new());
        }
        log.turns[turn].push(request);
        turn
    }

    fn answered(&self, turn: usize) {
        let mut log = self.log.lock().unwrap();
        log.answered = log.answered.max(turn + 1);
    }
}
