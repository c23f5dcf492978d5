//! Parameter Store, as far as functions ask it.

use std::{collections::HashMap, sync::Arc};

use axum::{
    Router,
    body::Bytes,
    extract::State,
    http::StatusCode,
    response::{IntoResponse, Response},
};
use serde_json::{Value, json};
use tests::table_proxy;

use crate::{fates::Fates, kind::Kind};

#[derive(Clone)]
struct Parameters {
    values: Arc<HashMap<String, String>>,
    fates: Arc<Fates>,
}

/// Starts one that has these parameters, and answers where it is.
pub async fn start(values: HashMap<String, String>, fates: Arc<Fates>) -> String {
    let parameters = Parameters {
        values: Arc::new(values),
        fates,
    };
    table_proxy::serve(Router::new().fallback(respond).with_state(parameters)).await
}

async fn respond(State(parameters): State<Parameters>, body: Bytes) -> Response {
    let fates = &parameters.fates;
    if fates.strikes(Kind::Parameters, "GetParameters", 500) {
        let (status, code) = if fates.below("parameters", 2) == 0 {
            (StatusCode::BAD_REQUEST, "ThrottlingException")
        } else {
            (StatusCode::INTERNAL_SERVER_ERROR, "InternalServerError")
        };
        let body = json!({"__type": code, "message": "injected"}).to_string();
        return (status, body).into_response();
    }
    let request: Value = serde_json::from_slice(&body).unwrap_or_default();
    let names = request["Names"].as_array().into_iter().flatten();
    let (mut found, mut invalid) = (Vec::new(), Vec::new());
    for name in names.filter_map(Value::as_str) {
        match parameters.values.get(name) {
            Some(value) => found.push(json!({
                "Name": name, "Value": value, "Type": "SecureString", "Version": 1,
            })),
            None => invalid.push(name),
        }
    }
    let answer = json!({"Parameters": found, "InvalidParameters": invalid});
    answer.to_string().into_response()
}
