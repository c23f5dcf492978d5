//! Administration of the demo by a user or a test: state, effects, faults and reset, and a receiver
//! for webhooks.

use axum::{
    Json, Router,
    extract::State,
    response::{IntoResponse, Response},
    routing::{get, post},
};
use bytes::Bytes;
use http::StatusCode;
use serde_json::Value;

use crate::mail_receiver::Received;

use super::{
    call::Answer, faults::InjectedFault, operation::Operation, records::RecordedEffect,
    server::Demo, systems::Shipped,
};

pub(crate) fn routes() -> Router<Demo> {
    Router::new()
        .route("/state", get(state))
        .route("/effects", get(effects))
        .route("/faults", post(add_fault).delete(clear_faults))
        .route("/reset", post(reset))
        .route("/mail", get(mail))
        .route("/heard", get(heard).post(hear))
}

async fn state(State(demo): State<Demo>) -> Json<Value> {
    Json(demo.world.show())
}

/// The mails that Workdesk sent, newest first.
async fn mail(State(demo): State<Demo>) -> Json<Vec<Received>> {
    Json(demo.mails.newest_first())
}

/// Receives the message of a webhook.
async fn hear(State(demo): State<Demo>, Json(message): Json<Value>) -> StatusCode {
    demo.world.hear(message);
    StatusCode::NO_CONTENT
}

async fn heard(State(demo): State<Demo>) -> Json<Vec<Value>> {
    Json(demo.world.heard())
}

async fn effects(State(demo): State<Demo>) -> Json<Vec<RecordedEffect>> {
    Json(demo.world.effects())
}

/// Adds a fault. Ignores the content type, so that `curl -d` needs none.
async fn add_fault(State(demo): State<Demo>, body: Bytes) -> Response {
    let fault: InjectedFault = match serde_json::from_slice(&body) {
        Ok(fault) => fault,
        Err(error) => return Answer::malformed(&error.to_string()).into_response(),
    };
    if let Err(problem) = check(demo.world.shipped(), &fault) {
        return Answer::malformed(&problem.to_string()).into_response();
    }
    demo.world.add_fault(fault);
    StatusCode::NO_CONTENT.into_response()
}

/// A fault without a possible call, which is likely misspelt.
#[derive(Debug, thiserror::Error)]
enum NoSuchFault {
    #[error("system must be one of {}", .0.join(", "))]
    System(Vec<String>),
    #[error("operation must be one of {}", .0.join(", "))]
    Operation(Vec<String>),
    #[error("times must be at least 1")]
    Times,
    #[error("status must be an HTTP status")]
    Status,
}

fn check(shipped: &Shipped, fault: &InjectedFault) -> Result<(), NoSuchFault> {
    let mut systems = shipped.systems.iter();
    let Some(system) = systems.find(|system| system.name == fault.system) else {
        let names = shipped
            .systems
            .iter()
            .map(|system| system.name.clone())
            .collect();
        return Err(NoSuchFault::System(names));
    };
    let operations = system
        .operations
        .iter()
        .map(Operation::name);
    let operations: Vec<_> = operations.map(str::to_owned).collect();
    match &fault.operation {
        Some(operation) if !operations.contains(operation) => {
            Err(NoSuchFault::Operation(operations))
        }
        _ if fault.times == 0 => Err(NoSuchFault::Times),
        _ if StatusCode::from_u16(fault.status).is_err() => Err(NoSuchFault::Status),
        _ => Ok(()),
    }
}

async fn clear_faults(State(demo): State<Demo>) -> StatusCode {
    demo.world.clear_faults();
    StatusCode::NO_CONTENT
}

async fn reset(State(demo): State<Demo>) -> Response {
    match demo.world.reset() {
        Ok(()) => StatusCode::NO_CONTENT.into_response(),
        Err(error) => (StatusCode::INTERNAL_SERVER_ERROR, error.to_string()).into_response(),
    }
}
