//! The part of Lambda's runtime API that a function needs.

use std::sync::Arc;

use axum::{
    Json, Router,
    body::Bytes,
    extract::State,
    http::StatusCode,
    response::{IntoResponse, Response},
    routing::{get, post},
};
use serde_json::Value;
use tokio::sync::{Mutex, mpsc};

/// Hands events to whichever process asks for the next one.
pub struct RuntimeApi {
    address: String,
    events: mpsc::UnboundedSender<Value>,
    answers: Mutex<mpsc::UnboundedReceiver<Bytes>>,
}

#[derive(Clone)]
struct Side {
    events: Arc<Mutex<mpsc::UnboundedReceiver<Value>>>,
    answers: mpsc::UnboundedSender<Bytes>,
}

impl RuntimeApi {
    /// Listens on a free port.
    pub async fn start() -> Self {
        let (events, to_hand_out) = mpsc::unbounded_channel();
        let (answered, answers) = mpsc::unbounded_channel();
        let side = Side {
            events: Arc::new(Mutex::new(to_hand_out)),
            answers: answered,
        };
        let base = "/2018-06-01/runtime";
        let routes = Router::new()
            .route(&format!("{base}/invocation/next"), get(next))
            .route(&format!("{base}/invocation/{{id}}/response"), post(answer))
            .route(&format!("{base}/invocation/{{id}}/error"), post(error))
            .route(&format!("{base}/init/error"), post(error))
            .with_state(side);
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0")
            .await
            .unwrap();
        let address = listener
            .local_addr()
            .unwrap()
            .to_string();
        tokio::spawn(async { axum::serve(listener, routes).await });
        Self {
            address,
            events,
            answers: Mutex::new(answers),
        }
    }

    /// Where it listens.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// An event for the function.
    pub fn invoke(&self, event: Value) {
        self.events.send(event).unwrap();
    }

    /// Returns the function's answer.
    pub async fn answer(&self) -> Value {
        serde_json::from_slice(&self.raw_answer().await).unwrap()
    }

    /// Returns the bytes of the function's answer: parsing takes time that is not the function's.
    pub async fn raw_answer(&self) -> Bytes {
        self.answers
            .lock()
            .await
            .recv()
            .await
            .unwrap()
    }
}

async fn next(State(side): State<Side>) -> Response {
    // A process that was killed while it waited here gives the place up: the connection ends, and
    // this with it.
    let Some(event) = side.events.lock().await.recv().await else {
        // Nobody has events any more; a function that is not killed yet waits on.
        return std::future::pending().await;
    };
    let id = "00000000-0000-0000-0000-000000000000";
    let arn = "arn:aws:lambda:us-east-1:123456789012:function:action-worker";
    let headers = [
        ("lambda-runtime-aws-request-id", id),
        ("lambda-runtime-deadline-ms", "4102444800000"),
        ("lambda-runtime-invoked-function-arn", arn),
    ];
    (headers, Json(event)).into_response()
}

/// The runtime does not declare what it sends.
async fn answer(State(side): State<Side>, body: Bytes) -> StatusCode {
    side.answers.send(body).unwrap();
    StatusCode::ACCEPTED
}

async fn error(body: String) -> StatusCode {
    panic!("the function failed: {body}");
}
