//! The embedded SQS: an in-memory engine behind a port.

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::State;
use axum::response::Response;
use bytes::Bytes;
use http::{HeaderMap, Method, StatusCode, Uri};
use winterbaume_core::{MockRequest, MockService};
use winterbaume_sqs::SqsService;

use super::Error;
use crate::background::{Background, listen};

/// Starts SQS and gives its URL.
pub(super) fn start(port: u16) -> Result<(String, Background), Error> {
    let io = |source| Error::Io {
        what: format!("SQS on port {port}"),
        source,
    };
    let (listener, address) = listen(port).map_err(io)?;
    let routes = Router::new()
        .fallback(pass_on)
        .with_state(Arc::new(SqsService::new()));
    let server = Background::start("sqs", move |stopping| async move {
        let Ok(listener) = tokio::net::TcpListener::from_std(listener) else {
            return;
        };
        // Infallible by axum's account, and there is nobody to tell on this thread.
        let _ = axum::serve(listener, routes)
            .with_graceful_shutdown(stopping.wait())
            .await;
    })
    .map_err(io)?;
    Ok((format!("http://{address}"), server))
}

async fn pass_on(
    State(service): State<Arc<SqsService>>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let answer = service
        .handle(MockRequest {
            method: method.to_string(),
            uri: uri.to_string(),
            headers,
            body,
        })
        .await;
    let mut response = Response::new(Body::from(answer.body));
    *response.status_mut() =
        StatusCode::from_u16(answer.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    *response.headers_mut() = answer.headers;
    response
}
