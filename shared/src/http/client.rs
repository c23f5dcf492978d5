//! Where a request comes from.

use std::{
    convert::Infallible,
    net::{IpAddr, SocketAddr},
};

use ::http::{HeaderMap, HeaderName, header, request::Parts};
use axum::extract::{FromRef, FromRequestParts};
use lambda_http::request::RequestContext;

use runtime::{config::TrustedProxy, links::is_same, telemetry};

use crate::{App, http::operation::Argument};

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

/// The address of the client: from the header of a proxy that sends its secret, or as the gateway
/// saw it. Empty where there is none.
#[derive(Debug)]
pub struct ClientAddress(pub String);

impl Argument for ClientAddress {}

impl<S: Send + Sync> FromRequestParts<S> for ClientAddress
where
    App: FromRef<S>,
{
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Infallible> {
        let app = App::from_ref(state);
        let headers = &parts.headers;
        let proxy = app
            .proxy
            .as_ref()
            .filter(|proxy| sent_by(proxy, headers));
        let named = proxy.and_then(|proxy| named_by_proxy(headers, &proxy.address_header));
        let seen = || match parts.extensions.get()? {
            RequestContext::ApiGatewayV2(context) => context.http.source_ip.clone(),
            _ => None,
        };
        let address = named
            .map(|address| address.to_string())
            .or_else(seen);
        Ok(Self(address.unwrap_or_default()))
    }
}

/// Returns true if a request has one secret of the proxy. A client that goes around the proxy has
/// none.
fn sent_by(proxy: &TrustedProxy, headers: &HeaderMap) -> bool {
    let sent = headers.get(TrustedProxy::SECRET_HEADER);
    sent.is_some_and(|sent| {
        let mut secrets = proxy.secrets.all();
        secrets.any(|secret| is_same(secret, sent.as_bytes()))
    })
}

/// The last address of a header, without its port: the one that the proxy itself wrote. Clients may
/// have sent others before it.
fn named_by_proxy(headers: &HeaderMap, name: &HeaderName) -> Option<IpAddr> {
    let value = headers
        .get_all(name)
        .iter()
        .next_back()?
        .to_str()
        .ok()?;
    let last = value.rsplit(',').next()?.trim();
    let with_port = || Some(last.parse::<SocketAddr>().ok()?.ip());
    // CloudFront writes IPv6 addresses with a port and without brackets.
    let bare = || last.rsplit_once(':')?.0.parse().ok();
    last.parse()
        .ok()
        .or_else(with_port)
        .or_else(bare)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_address_of_a_proxys_header_is_the_clients() {
        let named = |values: &[&'static str]| {
            let mut headers = HeaderMap::new();
            for value in values {
                headers.append("x-forwarded-for", value.parse().unwrap());
            }
            let name = HeaderName::from_static("x-forwarded-for");
            named_by_proxy(&headers, &name).map(|address| address.to_string())
        };
        for (values, address) in [
            (&["198.51.100.9"][..], Some("198.51.100.9")),
            (&["203.0.113.7, 198.51.100.9"], Some("198.51.100.9")),
            (&["203.0.113.7", "198.51.100.9"], Some("198.51.100.9")),
            (&["198.51.100.9:46532"], Some("198.51.100.9")),
            (&["[2001:db8::7]:46532"], Some("2001:db8::7")),
            (&["2001:db8:1:2:3:4:5:6:4653"], Some("2001:db8:1:2:3:4:5:6")),
            (&["2001:db8::7"], Some("2001:db8::7")),
            (&["203.0.113.7, unknown"], None),
            (&[], None),
        ] {
            assert_eq!(named(values).as_deref(), address, "{values:?}");
        }
    }
}
