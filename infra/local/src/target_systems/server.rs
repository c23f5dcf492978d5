//! The target systems over HTTP.

use std::{sync::Arc, time::Duration};

use axum::{
    Json, Router,
    extract::{ConnectInfo, OriginalUri, Path, State},
    http::header::{AUTHORIZATION, RETRY_AFTER},
    response::{IntoResponse, Response},
    routing::{MethodFilter, on},
};
use bytes::Bytes;
use http::{HeaderMap, HeaderValue, StatusCode, header};
use serde_json::Value;
use tokio::sync::watch;

use crate::{background::Stopping, mail_receiver::MailInbox};

use super::{
    call::{Answer, Request},
    connection::Connection,
    faults::{FaultMode, InjectedFault},
    operation::{Operation, System},
    world::{Call, World},
};

/// Request header with the idempotency key.
pub(crate) const KEY_HEADER: &str = "Idempotency-Key";

/// Response header of a replayed answer.
pub(crate) const REPLAYED_HEADER: &str = "idempotent-replayed";

/// The state of all handlers.
#[derive(Clone, Debug)]
pub(crate) struct Demo {
    pub(crate) world: Arc<World>,
    pub(crate) stopping: Stopping,
    /// Signal to send delayed answers at once.
    pub(crate) hurry: watch::Receiver<()>,
    pub(crate) mails: MailInbox,
}

/// Returns the routes of a system below `/targets/{name}`.
pub(crate) fn routes(system: &'static System) -> Router<Demo> {
    let mut routes = Router::new();
    for operation in &system.operations {
        let method = operation.method();
        let Some(method) = method.and_then(|method| MethodFilter::try_from(method).ok()) else {
            continue;
        };
        let handler = move |State(demo): State<Demo>,
                            ConnectInfo(connection): ConnectInfo<Connection>,
                            OriginalUri(uri): OriginalUri,
                            id: Option<Path<String>>,
                            headers: HeaderMap,
                            body: Bytes| async move {
            let received = Received {
                system,
                operation,
                path: uri.path().to_owned(),
                // An id in other case is the same record, as in systems whose ids are UUIDs.
                id: id
                    .map(|Path(id)| id.to_ascii_lowercase())
                    .unwrap_or_default(),
                headers,
                body,
            };
            respond(&demo, &connection, received).await
        };
        routes = routes.route(operation.path(), on(method, handler));
    }
    routes.fallback(|| async { Answer::unknown("such operation").into_response() })
}

struct Received {
    system: &'static System,
    operation: &'static Operation,
    path: String,
    id: String,
    headers: HeaderMap,
    body: Bytes,
}

async fn respond(demo: &Demo, connection: &Connection, received: Received) -> Response {
    if !authorized(&received) {
        let detail = "the bearer token is not this system's secret";
        return Answer::refusal(StatusCode::UNAUTHORIZED, "unauthorized", detail).into_response();
    }
    // Signals from here on count for this call.
    let mut hurry = demo.hurry.clone();
    hurry.mark_unchanged();
    let fault = demo
        .world
        .take_fault(&received.system.name, received.operation.name());
    if let Some(fault) = &fault {
        match fault.mode {
            FaultMode::Fail if fault.kept => {}
            FaultMode::Fail => {
                delay(fault, hurry).await;
                let mut response = Answer::injected(fault.status).into_response();
                let wait = fault
                    .retry_after
                    .as_deref()
                    .unwrap_or_default();
                if let Ok(wait) = HeaderValue::from_str(wait)
                    && !wait.is_empty()
                {
                    response
                        .headers_mut()
                        .insert(RETRY_AFTER, wait);
                }
                return response;
            }
            FaultMode::Hang => {
                // The caller gives up, or the server is stopped.
                demo.stopping.clone().wait().await;
                connection.cut();
                return StatusCode::SERVICE_UNAVAILABLE.into_response();
            }
            FaultMode::Garbage => return "<<< not JSON".into_response(),
            FaultMode::Redirect => return elsewhere(&received),
            FaultMode::Drop | FaultMode::Delay => {}
        }
    }

    let fails = fault
        .as_ref()
        .filter(|fault| fault.mode == FaultMode::Fail);
    let answer = perform(&demo.world, received, fails.map(|fault| fault.status));
    match fault {
        Some(fault) if fault.mode == FaultMode::Drop => connection.cut(),
        Some(fault) => delay(&fault, hurry).await,
        None => {}
    }
    answer.into_response()
}

/// Waits for the delay of a fault, or until `hurry` signals.
async fn delay(fault: &InjectedFault, mut hurry: watch::Receiver<()>) {
    let may_go = async {
        if hurry.changed().await.is_err() {
            std::future::pending::<()>().await;
        }
    };
    let _ = tokio::time::timeout(Duration::from_millis(fault.delay_ms), may_go).await;
}

fn authorized(received: &Received) -> bool {
    let token = received
        .headers
        .get(AUTHORIZATION)
        .and_then(|value| value.to_str().ok())
        .and_then(|value| value.strip_prefix("Bearer "));
    token == Some(&*received.system.secret)
}

/// Returns a redirect to a path of the same host that does not exist.
fn elsewhere(received: &Received) -> Response {
    let location = format!("/elsewhere{}", received.path);
    (
        StatusCode::TEMPORARY_REDIRECT,
        [(header::LOCATION, location)],
    )
        .into_response()
}

fn perform(world: &World, received: Received, fails_with: Option<u16>) -> Answer {
    let body = if received.body.is_empty() {
        Value::Null
    } else {
        match serde_json::from_slice(&received.body) {
            Ok(body) => body,
            Err(error) => return Answer::malformed(&format!("the body is not JSON: {error}")),
        }
    };
    world.perform(&Call {
        system: received.system,
        operation: received.operation,
        path: &received.path,
        key: received
            .headers
            .get(KEY_HEADER)
            .and_then(|value| value.to_str().ok()),
        request: Request {
            id: received.id,
            body,
        },
        fails_with,
    })
}

impl IntoResponse for Answer {
    fn into_response(self) -> Response {
        let mut response = (self.status, Json(self.body)).into_response();
        if self.is_replay {
            let replayed = HeaderValue::from_static("true");
            response
                .headers_mut()
                .insert(REPLAYED_HEADER, replayed);
        }
        response
    }
}
