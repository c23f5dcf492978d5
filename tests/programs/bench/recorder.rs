//! A proxy in front of the table. Writes down the requests of a function.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
    time::Duration,
};

use axum::{
    Router,
    extract::State,
    response::{IntoResponse, Response},
};
use serde_json::{Value, json};
use tests::{
    Release,
    table_proxy::{Asked, Upstream, serve},
};

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
            event["rawPath"]
                .as_str()
                .unwrap()
                .to_owned(),
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
    table: Upstream,
    log: Arc<Mutex<Log>>,
}

impl Recorder {
    async fn start(table: &str) -> Self {
        let log = Arc::new(Mutex::new(Log::default()));
        let proxy = Proxy {
            table: Upstream::new(table),
            log: log.clone(),
        };
        let url = serve(
            Router::new()
                .fallback(forward)
                .with_state(proxy),
        )
        .await;
        Self { url, log }
    }

    /// Returns the turns so far, and starts again without any.
    fn take(&self) -> Vec<Vec<Value>> {
        std::mem::take(&mut *self.log.lock().unwrap()).turns
    }
}

async fn forward(State(proxy): State<Proxy>, asked: Asked) -> Response {
    let turn = proxy.asked(json!({"operation": asked.operation, "body": asked.request}));
    let answer = proxy.table.pass_on(&asked).await;
    tokio::time::sleep(HOLD).await;
    proxy.answered(turn);
    answer.into_response()
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
