//! What a person or a test asks of the demo itself: its state, its effects, its faults.

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use bytes::Bytes;
use http::StatusCode;
use serde_json::Value;

use super::SYSTEMS;
use super::faults::Fault;
use super::operation::Answer;
use super::records::Effect;
use super::server::Shop;

pub(crate) fn routes() -> Router<Shop> {
    Router::new()
        .route("/state", get(state))
        .route("/effects", get(effects))
        .route("/faults", post(add_fault).delete(clear_faults))
        .route("/reset", post(reset))
}

async fn state(State(shop): State<Shop>) -> Json<Value> {
    Json(shop.world.show())
}

async fn effects(State(shop): State<Shop>) -> Json<Vec<Effect>> {
    Json(shop.world.effects())
}

/// Takes the body as it is, so that `curl -d` needs no content type.
async fn add_fault(State(shop): State<Shop>, body: Bytes) -> Response {
    let fault: Fault = match serde_json::from_slice(&body) {
        Ok(fault) => fault,
        Err(error) => return Answer::malformed(&error.to_string()).into_response(),
    };
    if let Err(problem) = check(&fault) {
        return Answer::malformed(&problem).into_response();
    }
    shop.world.add_fault(fault);
    StatusCode::NO_CONTENT.into_response()
}

/// A fault that no call can ever meet is a typing error.
fn check(fault: &Fault) -> Result<(), String> {
    let Some(system) = SYSTEMS.iter().find(|system| system.name == fault.system) else {
        let names: Vec<_> = SYSTEMS.iter().map(|system| system.name).collect();
        return Err(format!("system is one of {}", names.join(", ")));
    };
    let operations: Vec<_> = system
        .operations
        .iter()
        .map(super::Operation::name)
        .collect();
    match &fault.operation {
        Some(operation) if !operations.contains(operation) => {
            Err(format!("operation is one of {}", operations.join(", ")))
        }
        _ if fault.times == 0 => Err("times is at least 1".to_owned()),
        _ if StatusCode::from_u16(fault.status).is_err() => {
            Err("status is an HTTP status".to_owned())
        }
        _ => Ok(()),
    }
}

async fn clear_faults(State(shop): State<Shop>) -> StatusCode {
    shop.world.clear_faults();
    StatusCode::NO_CONTENT
}

async fn reset(State(shop): State<Shop>) -> Response {
    match shop.world.reset() {
        Ok(()) => StatusCode::NO_CONTENT.into_response(),
        Err(error) => (StatusCode::INTERNAL_SERVER_ERROR, error.to_string()).into_response(),
    }
}
