//! Runs a function, and what every request goes through, from the outside in: request id, log line,
//! security headers, the problem body, panic guard, cross-site check, authentication beside the
//! operation.

use std::panic::AssertUnwindSafe;

use axum::{
    Json, Router,
    extract::{MatchedPath, Request, State},
    middleware::{self, Next},
    response::{IntoResponse, Response},
};
use futures::FutureExt;
use http::{HeaderName, HeaderValue, header};
use lambda_http::request::RequestContext;
use model::{Error, random};
use runtime::{
    Start,
    telemetry::{self, Metric},
};
use utoipa_axum::router::OpenApiRouter;

use crate::{
    App, Problem,
    auth::{Authentication, bearer, claim, cross_site},
    http::problem::{ProblemDetails, Raised},
    problem::Cause,
};

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
const PROBLEM_JSON: HeaderValue = HeaderValue::from_static("application/problem+json");

/// Runs a function of that name as a Lambda behind an API Gateway HTTP API.
pub async fn run(
    function: &'static str,
    routes: OpenApiRouter<App>,
) -> Result<(), lambda_http::Error> {
    telemetry::init(function);
    let app = App::from_start(&Start::cold().await?)?;
    serve(routes, app.clone(), &app).await
}

/// Runs a function that has a state of its own beside the application's.
pub async fn serve<S>(
    routes: OpenApiRouter<S>,
    state: S,
    app: &App,
) -> Result<(), lambda_http::Error>
where
    S: Clone + Send + Sync + 'static,
{
    lambda_http::run(router(routes, state, app)).await
}

/// A function's routes within the layers that all functions have.
pub fn router<S>(routes: OpenApiRouter<S>, state: S, app: &App) -> Router
where
    S: Clone + Send + Sync + 'static,
{
    let (routes, _) = routes.split_for_parts();
    let authentication = Authentication {
        cookie: app.cookie.clone(),
        store: app.store.clone(),
        clock: app.clock.clone(),
    };
    routes
        .with_state(state)
        .fallback(async || Problem::<()>::from(Error::NotFound("path")))
        .method_not_allowed_fallback(async || Problem::<()>::from(Cause::MethodNotAllowed))
        .layer(middleware::from_fn_with_state(authentication, claim::judge))
        .layer(middleware::from_fn_with_state(app.clone(), guard))
        .layer(middleware::from_fn_with_state(app.clone(), finish))
}

/// Answers for what must not reach the handler and for what breaks in it.
async fn guard(State(app): State<App>, request: Request, next: Next) -> Response {
    let headers = request.headers();
    if !bearer::is_shown(headers)
        && !cross_site::may_pass(request.method(), headers, &app.allowed_origins)
    {
        return Problem::<()>::from(Cause::CrossSite).into_response();
    }
    AssertUnwindSafe(next.run(request))
        .catch_unwind()
        .await
        .unwrap_or_else(|panic| {
            let text = panic
                .downcast_ref::<String>()
                .map(String::as_str)
                .or_else(|| panic.downcast_ref::<&str>().copied())
                .unwrap_or("a panic without a message");
            Problem::<()>::from(Error::internal("a handler panicked", text.to_owned()))
                .into_response()
        })
}

/// Gives the answer its headers and, if it is an error, its body; writes the log line.
async fn finish(State(app): State<App>, request: Request, next: Next) -> Response {
    let request_id = request_id(&request);
    let trace = telemetry::trace_of(request.headers());
    let method = request.method().clone();
    let path = request.uri().path().to_owned();
    let route = request
        .extensions()
        .get::<MatchedPath>()
        .map_or_else(|| "(none)".to_owned(), |route| route.as_str().to_owned());
    let (mut response, record) = telemetry::observe(trace, next.run(request)).await;
    if record.is_cold_start() {
        telemetry::count(Metric::ColdStart, app.clock.now());
    }
    let raised = response.extensions_mut().remove::<Raised>();
    let cause = raised.and_then(|raised| raised.take());
    let status = response.status();
    let chain = cause.as_ref().map(Cause::chain);
    record.log(&request_id, &method, &route, status, chain.as_deref());
    if let Some(cause) = cause {
        let problem = ProblemDetails::of(cause, &path, &request_id);
        let (parts, body) = (status, Json(problem)).into_response().into_parts();
        response.headers_mut().extend(parts.headers);
        *response.body_mut() = body;
        response
            .headers_mut()
            .insert(header::CONTENT_TYPE, PROBLEM_JSON);
    }
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(
        header::X_CONTENT_TYPE_OPTIONS,
        HeaderValue::from_static("nosniff"),
    );
    if let Ok(id) = HeaderValue::try_from(request_id) {
        headers.insert(REQUEST_ID, id);
    }
    response
}

/// The gateway's id of the request, or one of our own where no gateway gave one.
fn request_id(request: &Request) -> String {
    match request.extensions().get::<RequestContext>() {
        Some(RequestContext::ApiGatewayV2(context)) => context.request_id.clone(),
        _ => None,
    }
    .unwrap_or_else(random::token)
}
