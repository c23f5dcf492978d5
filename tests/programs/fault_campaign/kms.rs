//! The key management service, which fails.

use std::sync::Arc;

use axum::{
    Router,
    extract::State,
    http::StatusCode,
    response::{IntoResponse, Response},
};
use serde_json::json;
use tests::table_proxy::{self, Asked, Upstream};

use crate::{fates::Fates, kind::Kind};

#[derive(Clone)]
struct Proxy {
    kms: Upstream,
    fates: Arc<Fates>,
}

/// Starts a proxy of the engine at `url`. Returns its URL.
pub async fn start(url: &str, fates: Arc<Fates>) -> String {
    let proxy = Proxy {
        kms: Upstream::new(url),
        fates,
    };
    table_proxy::serve(
        Router::new()
            .fallback(respond)
            .with_state(proxy),
    )
    .await
}

async fn respond(State(proxy): State<Proxy>, asked: Asked) -> Response {
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
    proxy
        .kms
        .pass_on(&asked)
        .await
        .into_response()
}
