//! Where a request comes from.

use std::convert::Infallible;

use axum::extract::FromRequestParts;
use http::{header, request::Parts};
use lambda_http::request::RequestContext;
use runtime::telemetry;

use super::operation::Argument;

/// The trace that the request is part of, if it says so.
#[derive(Debug)]
pub struct Trace(pub Option<String>);

impl Argument for Trace {}

impl<S: Send + Sync> FromRequestParts<S> for Trace {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        Ok(Self(telemetry::trace_of(&parts.headers)))
    }
}

/// The address that the request came from, as the gateway saw it; empty where there is none.
#[derive(Debug)]
pub struct ClientAddress(pub String);

impl Argument for ClientAddress {}

impl<S: Send + Sync> FromRequestParts<S> for ClientAddress {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        let address = match parts.extensions.get::<RequestContext>() {
            Some(RequestContext::ApiGatewayV2(context)) => context.http.source_ip.clone(),
            _ => None,
        };
        Ok(Self(address.unwrap_or_default()))
    }
}

/// The client's name for itself, cut to 255 characters; `None` if it sends none.
#[derive(Debug)]
pub struct UserAgent(pub Option<String>);

impl Argument for UserAgent {}

impl<S: Send + Sync> FromRequestParts<S> for UserAgent {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        let sent = parts.headers.get(header::USER_AGENT);
        let text = sent.map(|value| String::from_utf8_lossy(value.as_bytes()));
        Ok(Self(text.map(|text| text.chars().take(255).collect())))
    }
}
