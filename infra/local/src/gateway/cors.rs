//! CORS, as in API Gateway: with a CORS configuration the gateway answers preflights itself and
//! replaces the CORS headers of functions.

use axum::response::{IntoResponse, Response};
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header, request::Parts};

use crate::template::CorsLists;

/// All CORS headers of responses.
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
    /// Allowed origins. Without any there is no CORS configuration.
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

    /// Returns the answer to a preflight, which does not reach a function; none for other requests.
    pub(super) fn preflight(&self, request: &Parts) -> Option<Response> {
        let headers = &request.headers;
        let asks = request.method == Method::OPTIONS
            && headers.contains_key(header::ACCESS_CONTROL_REQUEST_METHOD);
        let origin = headers
            .get(header::ORIGIN)
            .filter(|_| asks)?;
        if self.origins.is_empty() {
            return None;
        }
        let mut response = StatusCode::NO_CONTENT.into_response();
        if self.allows(origin) {
            let lists = &self.lists;
            let added = [
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
            extend(response.headers_mut(), added);
            self.name(origin, response.headers_mut());
        }
        Some(response)
    }

    /// Replaces the CORS headers of a response with those of the configuration.
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
        self.origins
            .iter()
            .any(|allowed| origin == allowed)
    }

    fn name(&self, origin: &HeaderValue, headers: &mut HeaderMap) {
        headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin.clone());
        if self.lists.allow_credentials {
            let yes = HeaderValue::from_static("true");
            headers.insert(header::ACCESS_CONTROL_ALLOW_CREDENTIALS, yes);
        }
    }
}

/// Inserts headers. The template's lists contain only valid header values.
fn extend<const N: usize>(headers: &mut HeaderMap, added: [(HeaderName, String); N]) {
    for (name, value) in added {
        if let Ok(value) = HeaderValue::try_from(value) {
            headers.insert(name, value);
        }
    }
}
