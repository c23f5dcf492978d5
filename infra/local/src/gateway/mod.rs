//! The gateway in front of the functions. It behaves like the deployed API Gateway HTTP API.
//!
//! Routes and CORS lists are those of the template. A request becomes an event of payload version
//! 2.0, and the function's answer becomes a response. Errors of API Gateway itself have its form,
//! `{"message": …}`. One error is different: a function with an ended process gives the service's
//! own 503. Lambda has no such case.

mod answer;
mod cors;
mod event;
mod path;
mod refusal;
mod routes;
#[cfg(test)]
mod tests;

use std::{io, net::SocketAddr, sync::Arc, time::Duration};

use axum::{
    Router,
    body::Body,
    extract::{ConnectInfo, Request, State},
    response::Response,
};
use bytes::Bytes;
use futures::StreamExt;
use http::{HeaderName, HeaderValue, header, request::Parts};
use shared::{clock::Clock, random};

use crate::{
    background::{Background, listen_on_localhost},
    function::Functions,
    lambda::MAX_PAYLOAD,
    template::HttpApi,
};

use self::{cors::Cors, event::Context, refusal::Refusal, routes::RouteTable};

pub use self::path::handed_over;

/// Time limit of a function, as in API Gateway.
const INTEGRATION_TIMEOUT: Duration = Duration::from_secs(30);
/// Most bytes of a request's body.
const MAX_BODY: usize = 10 * 1024 * 1024;

/// API Gateway's header with the request's id.
const GATEWAY_REQUEST_ID: HeaderName = HeaderName::from_static("apigw-requestid");

/// The gateway cannot be started.
#[derive(Debug, thiserror::Error)]
pub enum GatewayError {
    /// Two routes of the template match the same requests, or one is malformed.
    #[error("the template's routes: {0}")]
    Routes(#[from] matchit::InsertError),
    /// A port or a thread is not available.
    #[error("the gateway on port {port}: {source}")]
    Start {
        /// Requested port.
        port: u16,
        /// Error of the system.
        source: io::Error,
    },
}

/// A gateway on a port of this machine.
#[derive(Debug)]
pub struct Gateway {
    url: String,
    servers: Vec<Background>,
}

#[derive(Debug)]
struct Api {
    routes: RouteTable,
    cors: Cors,
    functions: Functions,
    clock: Clock,
}

impl Gateway {
    /// Starts the gateway for these functions; port 0 takes a free one. Without `origins` there is
    /// no CORS.
    pub fn start(
        port: u16,
        api: &HttpApi,
        origins: Vec<String>,
        functions: Functions,
    ) -> Result<Self, GatewayError> {
        let api = Arc::new(Api {
            routes: RouteTable::new(&api.routes)?,
            cors: Cors::new(origins, &api.cors),
            functions,
            clock: Clock::system(),
        });
        let start = |source| GatewayError::Start { port, source };
        let (listeners, port) = listen_on_localhost(port).map_err(start)?;
        let service = Router::new()
            .fallback(respond)
            .with_state(api);
        let servers = listeners.into_iter().map(|listener| {
            let service = service.clone();
            let service = service.into_make_service_with_connect_info::<SocketAddr>();
            Background::start("gateway", move |stopping| async move {
                let Ok(listener) = tokio::net::TcpListener::from_std(listener) else {
                    return;
                };
                // axum documents that this never returns an error.
                let _ = axum::serve(listener, service)
                    .with_graceful_shutdown(stopping.wait())
                    .await;
            })
        });
        Ok(Self {
            url: format!("http://localhost:{port}"),
            servers: servers
                .collect::<io::Result<_>>()
                .map_err(start)?,
        })
    }

    /// Returns the URL for clients. Pages on this machine share its host, so that a browser keeps
    /// the session cookie for them.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Stops the gateway.
    pub async fn stop(self) {
        for server in self.servers {
            server.stop().await;
        }
    }
}

async fn respond(
    State(api): State<Arc<Api>>,
    ConnectInfo(client): ConnectInfo<SocketAddr>,
    request: Request,
) -> Response {
    let request_id = random::token();
    let (parts, body) = request.into_parts();
    let mut response = if let Some(preflight) = api.cors.preflight(&parts) {
        preflight
    } else {
        let proxied = api
            .proxy(&parts, body, client, &request_id)
            .await;
        let mut response = proxied.unwrap_or_else(|refusal| refusal.response(&parts, &request_id));
        let origin = parts.headers.get(header::ORIGIN);
        api.cors
            .add(origin, response.headers_mut());
        response
    };
    if let Ok(id) = HeaderValue::try_from(request_id) {
        response
            .headers_mut()
            .insert(GATEWAY_REQUEST_ID, id);
    }
    response
}

impl Api {
    /// Invokes the function of the request's route and returns its response.
    async fn proxy(
        &self,
        parts: &Parts,
        body: Body,
        client: SocketAddr,
        request_id: &str,
    ) -> Result<Response, Refusal> {
        let body = read(body).await?;
        let route = self
            .routes
            .find(&parts.method, parts.uri.path())
            .ok_or(Refusal::NoRoute)?;
        let context = Context {
            route: &route,
            client,
            request_id,
            at: self.clock.now(),
        };
        let event = event::of(parts, &body, &context).ok_or(Refusal::BadRequest)?;
        let event = event.to_string();
        if event.len() > MAX_PAYLOAD {
            return Err(Refusal::TooLarge);
        }
        let result = self
            .functions
            .invoke(route.function, event.into(), INTEGRATION_TIMEOUT)
            .await?;
        answer::read(&result).ok_or(Refusal::Failed)
    }
}

/// Reads the whole body. An oversized body is read to its end too, since a client would not see the
/// answer while it sends.
async fn read(body: Body) -> Result<Bytes, Refusal> {
    let mut whole = Vec::new();
    let mut size = 0;
    let mut chunks = body.into_data_stream();
    while let Some(chunk) = chunks.next().await {
        let chunk = chunk.map_err(|_| Refusal::BadRequest)?;
        size += chunk.len();
        if size <= MAX_BODY {
            whole.extend_from_slice(&chunk);
        }
    }
    if size > MAX_BODY {
        return Err(Refusal::TooLarge);
    }
    Ok(whole.into())
}
