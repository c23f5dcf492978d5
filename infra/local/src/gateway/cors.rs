//! What a browser is told about other origins. As in API Gateway, an API with a CORS configuration
//! answers preflights itself, and what functions say about it counts for nothing.

use axum::response::{IntoResponse, Response};
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header, request::Parts};

use crate::template::CorsLists;

/// Every header that CORS has in a response.
const HEADERS: [HeaderName; 6] = [
    header::ACCESS_CONTROL_ALLOW_ORIGIN,
    header::ACCESS_CONTROL_ALLOW_CREDENTIALS,
    header::ACCESS_CONTROL_ALLOW_HEADERS,
    header::ACCESS_CONTROL_ALLOW_METHODS,
    header::ACCESS_CONTROL_EXPOSE_HEADERS,
    header::ACCESS_CONTROL_MAX_AGE,
];

/// The CORS configuration of an API.
#[derive(Debug)]
pub(super) struct Cors {
    /// Without any there is no configuration.
    origins: Vec<String>,
    lists: CorsLists,
}

impl Cors {
    pub(super) fn new(origins: Vec<String>, lists: &CorsLists) -> Self {
        Self {
            origins,
            lists: lists.clone(),
        }
    }

    /// The answer to a preflight, which no function sees.
    pub(super) fn preflight(&self, request: &Parts) -> Option<Response> {
        let headers = &request.headers;
        let asks = request.method == Method::OPTIONS
            && headers.contains_key(header::ACCESS_CONTROL_REQUEST_METHOD);
        let origin = headers.get(header::ORIGIN).filter(|_| asks)?;
        if self.origins.is_empty() {
            return None;
        }
        let mut response = StatusCode::NO_CONTENT.into_response();
        if self.allows(origin) {
            let lists = &self.lists;
            let told = [
                (
                    header::ACCESS_CONTROL_ALLOW_METHODS,
                    lists.allow_methods.join(","),
                ),
                (
                    header::ACCESS_CONTROL_ALLOW_HEADERS,
                    lists.allow_headers.join(","),
                ),
                (header::ACCESS_CONTROL_MAX_AGE, lists.max_age.to_string()),
            ];
            extend(response.headers_mut(), told);
            self.name(origin, response.headers_mut());
        }
        Some(response)
    }

    /// Puts into a response what the configuration says, in place of what the function said.
    pub(super) fn add(&self, origin: Option<&HeaderValue>, headers: &mut HeaderMap) {
        if self.origins.is_empty() {
            return;
        }
        for name in HEADERS {
            headers.remove(name);
        }
        if let Some(origin) = origin.filter(|origin| self.allows(origin)) {
            self.name(origin, headers);
            let exposed = self.lists.expose_headers.join(",");
            extend(headers, [(header::ACCESS_CONTROL_EXPOSE_HEADERS, exposed)]);
        }
    }

    fn allows(&self, origin: &HeaderValue) -> bool {
        self.origins.iter().any(|allowed| origin == allowed)
    }

    fn name(&self, origin: &HeaderValue, headers: &mut HeaderMap) {
        headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin.clone());
        if self.lists.allow_credentials {
            let yes = HeaderValue::from_static("true");
            headers.insert(header::ACCESS_CONTROL_ALLOW_CREDENTIALS, yes);
        }
    }
}

/// The template's lists hold nothing that a header cannot.
fn extend<const N: usize>(headers: &mut HeaderMap, told: [(HeaderName, String); N]) {
    for (name, value) in told {
        if let Ok(value) = HeaderValue::try_from(value) {
            headers.insert(name, value);
        }
    }
}
