//! The gateway's event of a request, before `lambda_http` makes a request of it. Takes out of its
//! way what would break it, be left out, or lead to another path.
//!
//! API Gateway hands a path over decoded, and `lambda_http` puts it into a URL. There `#` and `?`
//! would end it, `\` and `..` would change it, and white space at its end would be gone.

use std::collections::HashMap;

use http::{HeaderValue, Uri, header};
use lambda_http::{
    LambdaEvent, RequestExt, aws_lambda_events::apigw::ApiGatewayV2httpRequest,
    request::LambdaRequest,
};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use url::Url;

/// The stage variable of a request whose target is no URL. The stage has none, and clients cannot
/// set any.
const NO_URL: &str = "target-is-no-url";

/// Escaped characters in a segment of a path: all but unreserved characters and delimiters (RFC
/// 3986, 3.3).
const NOT_IN_SEGMENTS: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~')
    .remove(b'!')
    .remove(b'$')
    .remove(b'&')
    .remove(b'\'')
    .remove(b'(')
    .remove(b')')
    .remove(b'*')
    .remove(b'+')
    .remove(b',')
    .remove(b';')
    .remove(b'=')
    .remove(b':')
    .remove(b'@');

const NOT_IN_PATHS: &AsciiSet = &NOT_IN_SEGMENTS.remove(b'/');

/// The event with a target and cookies that can be read.
pub fn readable(mut event: LambdaEvent<LambdaRequest>) -> LambdaEvent<LambdaRequest> {
    if let LambdaRequest::ApiGatewayV2(request) = &mut event.payload {
        // One that is no header's text would take all others along.
        if let Some(cookies) = &mut request.cookies {
            cookies.retain(|cookie| HeaderValue::from_str(cookie).is_ok());
        }
        request.raw_path = Some(path(request));
        if !has_url(request) {
            without_target(request);
        }
    }
    event
}

/// The path of a request as a URL has it. If the gateway found its route by another path, it is a
/// single segment and names nothing.
fn path(request: &ApiGatewayV2httpRequest) -> String {
    let path = request
        .raw_path
        .as_deref()
        .unwrap_or_default();
    let path = path.strip_prefix('/').unwrap_or(path);
    // A URL has no such segments, escaped or not.
    let is_relative = path
        .split('/')
        .any(|segment| [".", ".."].contains(&segment));
    let route = request.route_key.as_deref();
    let route = route.and_then(|key| Some(key.split_once(" /")?.1));
    let is_of = |route: &str| is_of_route(path, route, &request.path_parameters);
    let is_path = !is_relative && route.is_none_or(is_of);
    let escapes = if is_path {
        NOT_IN_PATHS
    } else {
        NOT_IN_SEGMENTS
    };
    format!("/{}", utf8_percent_encode(path, escapes))
}

/// Returns true if a decoded path is the one by which the gateway found a route, such as
/// `api/tasks/{id}`, with these parameters. A client may have escaped a slash, or an escape.
fn is_of_route(path: &str, route: &str, parameters: &HashMap<String, String>) -> bool {
    if path.split('/').count() != route.split('/').count() {
        return false;
    }
    path.split('/')
        .zip(route.split('/'))
        .all(|(sent, part)| {
            let Some(name) = part
                .strip_prefix('{')
                .and_then(|part| part.strip_suffix('}'))
            else {
                return sent == part;
            };
            let is_sent = |value: &String| {
                value == sent || percent_decode_str(value).decode_utf8_lossy() == sent
            };
            parameters.get(name).is_none_or(is_sent)
        })
}

/// Returns `true` if the target of a request was no URL, for example because of a raw `"`, `<` or
/// `>` in its query. Such a request keeps its path at most.
pub fn had_no_url(request: &impl RequestExt) -> bool {
    let variables = request.stage_variables_ref();
    variables.is_some_and(|variables| variables.first(NO_URL).is_some())
}

/// Returns `true` if `lambda_http` can build the URL of a request.
fn has_url(request: &ApiGatewayV2httpRequest) -> bool {
    let text = |name| request.headers.get(name)?.to_str().ok();
    let domain = request
        .request_context
        .domain_name
        .as_deref();
    let scheme = text(header::HeaderName::from_static("x-forwarded-proto")).unwrap_or("https");
    let host = text(header::HOST).or(domain);
    let path = request
        .raw_path
        .as_deref()
        .unwrap_or_default();
    let query = request
        .raw_query_string
        .as_deref()
        .unwrap_or_default();
    let url = match host {
        Some(host) => format!("{scheme}://{host}{path}"),
        None => format!("http://localhost{path}"),
    };
    Url::parse(&url).is_ok_and(|url| {
        format!("{url}?{query}")
            .parse::<Uri>()
            .is_ok()
    })
}

/// Leaves the path: it is escaped.
fn without_target(request: &mut ApiGatewayV2httpRequest) {
    request
        .stage_variables
        .insert(NO_URL.to_owned(), String::new());
    request.raw_query_string = None;
    if !has_url(request) {
        request.headers.remove(header::HOST);
        request.request_context.domain_name = None;
    }
}

#[cfg(test)]
mod tests {
    use lambda_http::Context;
    use serde_json::json;

    use super::*;

    /// The path of the URL that is made of an event.
    fn path_of(raw_path: &str, route: &str, id: &str) -> String {
        let event = json!({
            "version": "2.0", "routeKey": route, "rawPath": raw_path, "rawQueryString": "limit=2",
            "headers": {"host": "a1.execute-api.us-east-1.amazonaws.com"},
            "pathParameters": {"id": id},
            "requestContext": {"http": {"method": "GET"}, "stage": "$default"},
        });
        let request: LambdaRequest = serde_json::from_value(event).unwrap();
        let event = readable(LambdaEvent::new(request, Context::default()));
        let request: lambda_http::Request = event.payload.into();
        assert!(!had_no_url(&request));
        assert_eq!(request.uri().query(), Some("limit=2"), "{raw_path:?}");
        request.uri().path().to_owned()
    }

    #[test]
    fn a_decoded_path_keeps_its_characters() {
        let any = "$default";
        for (decoded, escaped) in [
            ("/api/tasks/5", "/api/tasks/5"),
            ("/api/tasks#x", "/api/tasks%23x"),
            ("/api/tasks/5 ", "/api/tasks/5%20"),
            ("/api/tasks/5\n", "/api/tasks/5%0A"),
            ("/api/tasks/5?x", "/api/tasks/5%3Fx"),
            ("/api\\tasks\\5", "/api%5Ctasks%5C5"),
            ("/api/tasks/%35", "/api/tasks/%2535"),
            ("/a/\u{3bb}\u{fffd}\0", "/a/%CE%BB%EF%BF%BD%00"),
            ("/api/a1@3;x=(~!$&'*+,:-._)", "/api/a1@3;x=(~!$&'*+,:-._)"),
            ("/api/tasks/../tags", "/api%2Ftasks%2F..%2Ftags"),
            ("/api/tasks/.", "/api%2Ftasks%2F."),
            ("//evil.example/api", "//evil.example/api"),
            ("", "/"),
            ("*", "/*"),
        ] {
            assert_eq!(path_of(decoded, any, "5"), escaped, "{decoded:?}");
        }
    }

    #[test]
    fn a_path_is_that_of_its_route() {
        let route = "ANY /api/tasks/{id}";
        for (raw_path, id) in [("/api/tasks/5", "5"), ("/api/tasks/a@1", "a%401")] {
            assert_eq!(path_of(raw_path, route, id), raw_path);
        }
        // A slash, an escape and a question mark that the client had escaped.
        for (raw_path, id) in [
            ("/api/tasks/5/phase", "5%2Fphase"),
            ("/api/tasks/5", "%2535"),
            ("/api/tasks/5", "5%3Fx"),
            ("/api/tags/5", "5"),
        ] {
            let path = path_of(raw_path, route, id);
            assert!(!path[1..].contains('/'), "{raw_path} {id}: {path}");
        }
    }
}
