//! The gateway's event of a request, before a request is made of it: what `lambda_http` would break
//! off at, or leave out, is taken out of its way.

use http::{HeaderValue, Uri, header};
use lambda_http::{
    LambdaEvent, RequestExt, aws_lambda_events::apigw::ApiGatewayV2httpRequest,
    request::LambdaRequest,
};
use url::Url;

/// The stage variable that marks a request whose target is no URL. The stage has none, and clients
/// cannot set any.
const NO_URL: &str = "target-is-no-url";

/// The event with a target and cookies that can be read.
#[must_use]
pub fn readable(mut event: LambdaEvent<LambdaRequest>) -> LambdaEvent<LambdaRequest> {
    if let LambdaRequest::ApiGatewayV2(request) = &mut event.payload {
        // One that is no header's text would take all others along.
        if let Some(cookies) = &mut request.cookies {
            cookies.retain(|cookie| HeaderValue::from_str(cookie).is_ok());
        }
        if !has_url(request) {
            without_target(request);
        }
    }
    event
}

/// Returns `true` if the target of a request was no URL, for example because of a raw `"`, `<` or `>` in
/// its query. Such a request keeps its path at most.
pub fn had_no_url(request: &impl RequestExt) -> bool {
    let variables = request.stage_variables_ref();
    variables.is_some_and(|variables| variables.first(NO_URL).is_some())
}

/// Returns `true` if `lambda_http` can build the URL of a request.
fn has_url(request: &ApiGatewayV2httpRequest) -> bool {
    let text = |name| request.headers.get(name)?.to_str().ok();
    let domain = request.request_context.domain_name.as_deref();
    let scheme = text(header::HeaderName::from_static("x-forwarded-proto")).unwrap_or("https");
    let host = text(header::HOST).or(domain).unwrap_or("localhost");
    let path = request.raw_path.as_deref().unwrap_or_default();
    let query = request.raw_query_string.as_deref().unwrap_or_default();
    Url::parse(&format!("{scheme}://{host}{path}"))
        .is_ok_and(|url| format!("{url}?{query}").parse::<Uri>().is_ok())
}

/// Leaves the path, if that is not what is wrong.
fn without_target(request: &mut ApiGatewayV2httpRequest) {
    request
        .stage_variables
        .insert(NO_URL.to_owned(), String::new());
    request.raw_query_string = None;
    if !has_url(request) {
        request.headers.remove(header::HOST);
        request.request_context.domain_name = None;
    }
    if !has_url(request) {
        request.raw_path = Some("/".to_owned());
    }
}
