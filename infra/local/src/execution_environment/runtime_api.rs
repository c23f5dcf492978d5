//! The runtime API for the function's process. Each process has its own, so that answers of an
//! earlier process cannot interfere.

use std::{io, sync::Arc};

use axum::{
    Router,
    body::Body,
    extract::{DefaultBodyLimit, Path, State},
    response::{IntoResponse, Response},
    routing::{get, post},
};
use bytes::Bytes;
use http::{HeaderMap, StatusCode};
use tokio::{
    net::TcpListener,
    sync::{Mutex, mpsc},
    task::JoinHandle,
};

use crate::lambda::MAX_PAYLOAD;

use super::invocations::{Answer, Invocation};

/// A runtime API for one process. Dropping it closes its port.
#[derive(Debug)]
pub(super) struct RuntimeApi {
    address: String,
    server: JoinHandle<()>,
    offers: mpsc::Sender<Invocation>,
    answers: mpsc::Receiver<(String, Answer)>,
}

#[derive(Clone, Debug)]
struct Side {
    offered: Arc<Mutex<mpsc::Receiver<Invocation>>>,
    answered: mpsc::Sender<(String, Answer)>,
}

impl RuntimeApi {
    /// Starts on a free port.
    pub(super) async fn start() -> io::Result<Self> {
        let (offers, offered) = mpsc::channel(1);
        let (answered, answers) = mpsc::channel(1);
        let side = Side {
            offered: Arc::new(Mutex::new(offered)),
            answered,
        };
        let routes = Router::new()
            .route("/2018-06-01/runtime/invocation/next", get(next))
            .route(
                "/2018-06-01/runtime/invocation/{id}/response",
                post(response),
            )
            .route("/2018-06-01/runtime/invocation/{id}/error", post(error))
            // The handler measures answers itself and reports one that is too large.
            .layer(DefaultBodyLimit::disable())
            .with_state(side);
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        Ok(Self {
            address: listener.local_addr()?.to_string(),
            server: tokio::spawn(async move {
                // axum documents that this never returns an error.
                let _ = axum::serve(listener, routes).await;
            }),
            offers,
            answers,
        })
    }

    /// Returns host and port.
    pub(super) fn address(&self) -> &str {
        &self.address
    }

    /// Waits until the process has taken the invocation and answered it.
    pub(super) async fn carry_out(&mut self, invocation: &Invocation) -> Answer {
        let taken = self
            .offers
            .send(invocation.clone())
            .await;
        while let (Ok(()), Some((id, answer))) = (&taken, self.answers.recv().await) {
            if id == invocation.id {
                return answer;
            }
        }
        // Not reached: the server holds the other ends of both channels while `self` exists.
        std::future::pending().await
    }
}

impl Drop for RuntimeApi {
    fn drop(&mut self) {
        self.server.abort();
    }
}

async fn next(State(side): State<Side>) -> Response {
    let Some(invocation) = side.offered.lock().await.recv().await else {
        return StatusCode::GONE.into_response();
    };
    let headers: HeaderMap = invocation
        .headers
        .into_iter()
        .filter_map(|(name, value)| Some((name?, value)))
        .filter(|(name, _)| {
            name.as_str()
                .starts_with("lambda-runtime-")
        })
        .collect();
    (headers, Body::from(invocation.event)).into_response()
}

async fn response(State(side): State<Side>, Path(id): Path<String>, body: Bytes) -> StatusCode {
    if body.len() > MAX_PAYLOAD {
        side.answered(id, Answer::TooLarge(body.len()))
            .await;
        return StatusCode::PAYLOAD_TOO_LARGE;
    }
    side.answered(id, Answer::Result(body))
        .await;
    StatusCode::ACCEPTED
}

async fn error(State(side): State<Side>, Path(id): Path<String>, body: Bytes) -> StatusCode {
    side.answered(id, Answer::Error(body))
        .await;
    StatusCode::ACCEPTED
}

impl Side {
    async fn answered(&self, id: String, answer: Answer) {
        // An error means that the process has ended; its answer is dropped.
        let _ = self.answered.send((id, answer)).await;
    }
}
