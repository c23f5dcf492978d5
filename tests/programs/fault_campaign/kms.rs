//! The key management service, which fails.

use std::sync::Arc;

use axum::{
    Router,
    body::Bytes,
    extract::State,
    http::{HeaderMap, StatusCode},
    response::{IntoResponse, Response},
};
use serde_json::json;
use tests::table_proxy;

use crate::{fates::Fates, kind::Kind};

#[derive(Clone)]
struct Proxy {
    url: Arc<str>,
    http: reqwest::Client,
    fates: Arc<Fates>,
}

/// Starts a proxy of the engine at `url`. Returns its URL.
pub async fn start(url: &str, fates: Arc<Fates>) -> String {
    let proxy = Proxy {
        url: url.into(),
        http: reqwest::Client::builder().no_proxy().build().unwrap(),
        fates,
    };
    table_proxy::serve(Router::new().fallback(respond).with_state(proxy)).await
}

async fn respond(State(proxy): State<Proxy>, headers: HeaderMap, body: Bytes) -> Response {
    let fates = &proxy.fates;
    if fates.strikes(Kind::Kms, "Decrypt", 500) {
        let (status, code) = if fates.below("kms", 2) == 0 {
            (StatusCode::BAD_REQUEST, "ThrottlingException")
        } else {
            (StatusCode::INTERNAL_SERVER_ERROR, "KMSInternalException")
        };
        let body = json!({"__type": code, "message": "injected"}).to_string();
        return (status, body).into_response();
    }
    let request = proxy.http.post(&*proxy.url).body(body);
    let target = headers["x-amz-target"].clone();
    let answer = request.header("x-amz-target", target).send().await.unwrap();
    let status = StatusCode::from_u16(answer.status().as_u16()).unwrap();
    (status, answer.bytes().await.unwrap()).into_response()
}
