//! The embedded SQS: an in-memory engine behind a port.

use std::sync::Arc;

use axum::{Router, body::Body, extract::State, response::Response};
use bytes::Bytes;
use http::{HeaderMap, Method, StatusCode, Uri};
use winterbaume_core::{MockRequest, MockService};
use winterbaume_sqs::SqsService;

use crate::background::{Background, listen};

use super::error::EngineError;

/// Starts SQS. Returns its URL and server.
pub(super) fn start(port: u16) -> Result<(String, Background), EngineError> {
    let io = |source| EngineError::Io {
        what: format!("SQS on port {port}"),
        source,
    };
    let (listener, address) = listen(port).map_err(io)?;
    let url = format!("http://{address}");
    let engine = Engine {
        service: Arc::new(SqsService::new()),
        url: url.as_str().into(),
    };
    let routes = Router::new()
        .fallback(pass_on)
        .with_state(engine);
    let server = Background::http("sqs", listener, routes).map_err(io)?;
    Ok((url, server))
}

/// Base URL that the engine writes into queue URLs.
const AWS_URL: &str = "https://sqs.us-east-1.amazonaws.com";

#[derive(Clone)]
struct Engine {
    service: Arc<SqsService>,
    url: Arc<str>,
}

async fn pass_on(
    State(engine): State<Engine>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let gives_urls = names_queues(&headers);
    let answer = engine
        .service
        .handle(MockRequest {
            method: method.to_string(),
            uri: uri.to_string(),
            headers,
            body,
        })
        .await;
    let mut response = Response::new(if gives_urls {
        // A client that calls a queue's URL must reach this engine, not AWS.
        let body = String::from_utf8_lossy(&answer.body);
        Body::from(body.replace(AWS_URL, &engine.url))
    } else {
        Body::from(answer.body)
    });
    *response.status_mut() =
        StatusCode::from_u16(answer.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    *response.headers_mut() = answer.headers;
    response
}

/// Returns true if the answer to a request contains URLs of queues and no messages.
fn names_queues(headers: &HeaderMap) -> bool {
    let target = headers
        .get("x-amz-target")
        .and_then(|target| target.to_str().ok());
    let action = target.and_then(|target| target.rsplit('.').next());
    matches!(action, Some("CreateQueue" | "GetQueueUrl" | "ListQueues"))
}
