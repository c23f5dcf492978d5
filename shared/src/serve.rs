//! Runs a function, with the layers of every request.
//!
//! From the outside in: compression, request id, log line, security headers, problem body, panic
//! guard, deadline, preflights, cross-site check, authentication. A function that is open to
//! everybody has no cross-site check and no authentication.

use std::{panic::AssertUnwindSafe, time::Duration};

use ::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};

use axum::{
    Json, Router,
    extract::{FromRef, MatchedPath, Request, State},
    middleware::{self, Next},
    response::{IntoResponse, Response},
};
use futures::FutureExt;
use http::{Extensions, Version};
use lambda_http::{
    Adapter, LambdaEvent, RequestExt, lambda_runtime,
    request::{LambdaRequest, RequestContext},
    tower::{ServiceExt, util::MapRequest},
};
use model::base::{Clock, Error, FaultCode, random};
use runtime::{
    FromStart, Start,
    config::{Environment, Patience},
    telemetry::{self, Metric},
};
use tokio::time::timeout;
use tower_http::{
    CompressionLevel,
    compression::{
        CompressionLayer,
        predicate::{Predicate, SizeAbove},
    },
};

use crate::{
    App, Problem,
    auth::{Authentication, bearer, claim, cross_site},
    event,
    http::{
        Routes, condition, prefer,
        problem::{ProblemDetails, Raised, invalid},
    },
    problem::Cause,
};

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// The part of a function's time that it keeps for an answer. It waits no longer for the table
/// then.
const TO_ANSWER: Duration = Duration::from_secs(1);
/// Table units after which a request starts no further read. The largest pages of ordinary records
/// take about 2,500.
const MOST_UNITS: f64 = 5_000.0;
/// No function runs longer.
const LONGEST: Duration = Duration::from_mins(15);

/// The service that takes a function's events.
pub type Lambda = MapRequest<
    Adapter<'static, Response, Router>,
    fn(LambdaEvent<LambdaRequest>) -> LambdaEvent<LambdaRequest>,
>;

/// Runs a function of that name as a Lambda behind an API Gateway HTTP API.
pub async fn run<S>(function: &'static str, routes: Routes<S>) -> Result<(), lambda_http::Error>
where
    S: FromStart + Clone,
    App: FromRef<S>,
{
    let served = async {
        let layered = started(routes, &Start::cold(Patience::Client).await?)?;
        lambda_runtime::run(lambda(layered)).await
    };
    telemetry::run(function, Box::pin(served)).await
}

/// Runs a function for everybody, without a table: it answers whatever else has failed.
pub async fn run_open(
    function: &'static str,
    routes: impl FnOnce(&Environment) -> Routes,
) -> Result<(), lambda_http::Error> {
    let layered = open_router(routes(&Environment::process()), Clock::system());
    let served = lambda_runtime::run(lambda(layered));
    telemetry::run(function, Box::pin(served)).await
}

/// Returns the layered routes of a function after its cold start.
pub fn started<S>(routes: Routes<S>, start: &Start) -> Result<Router, lambda_http::Error>
where
    S: FromStart + Clone,
    App: FromRef<S>,
{
    let state = S::from_start(start)?;
    let app = App::from_ref(&state);
    Ok(router(routes, state, &app))
}

/// The service that Lambda calls, of a router with its layers.
pub fn lambda(router: Router) -> Lambda {
    Adapter::from(router).map_request(event::readable)
}

/// A function's routes within the layers that all functions have.
pub fn router<S>(routes: Routes<S>, state: S, app: &App) -> Router
where
    S: Clone + Send + Sync + 'static,
{
    let authentication = Authentication {
        cookie: app.cookie.clone(),
        store: app.store.clone(),
        limits: app.limits.clone(),
        clock: app.clock.clone(),
    };
    let authenticated = middleware::from_fn_with_state(authentication, claim::authenticate);
    let routes = answering(routes)
        .with_state(state)
        .layer(authenticated)
        .layer(middleware::from_fn_with_state(app.clone(), refuse_foreign));
    outermost(routes, app.clock.clone())
}

/// The routes of a function that is open to everybody, within the layers of all.
pub fn open_router(routes: Routes, clock: Clock) -> Router {
    outermost(answering(routes), clock)
}

/// The routes, with 404 for other paths and 405 for other methods.
fn answering<S>(routes: Routes<S>) -> Router<S>
where
    S: Clone + Send + Sync + 'static,
{
    routes
        .into_router()
        .layer(middleware::from_fn(condition::not_modified))
        .layer(middleware::from_fn(prefer::strictly))
        .fallback(async || Problem::<()>::from(Error::NotFound("path")))
        .method_not_allowed_fallback(async || Problem::<()>::from(Cause::MethodNotAllowed))
}

fn outermost(routes: Router, clock: Clock) -> Router {
    routes
        .layer(middleware::from_fn_with_state(clock.clone(), guard))
        .layer(middleware::from_fn_with_state(clock, finish))
        .layer(compression())
}

/// Compresses the answers of reads that are larger than 1 kB, if the client accepts gzip. An
/// operation with a secret is no read: no secret shares a compressed answer with text of others.
fn compression() -> CompressionLayer<impl Predicate> {
    CompressionLayer::new()
        .quality(CompressionLevel::Fastest)
        .compress_when(SizeAbove::new(1_024).and(is_of_read))
}

/// Marks the answer of a read.
#[derive(Clone, Copy, Debug)]
struct OfRead;

fn is_of_read(_: StatusCode, _: Version, _: &HeaderMap, marks: &Extensions) -> bool {
    marks.get::<OfRead>().is_some()
}

/// Refuses what a foreign page asks for with a session. Who shows a token is no such page: those
/// cannot send the header without asking first.
async fn refuse_foreign(State(app): State<App>, request: Request, next: Next) -> Response {
    let method = request.method();
    let headers = request.headers();
    if app.is_paused && !method.is_safe() {
        return Problem::<()>::from(Cause::Paused).into_response();
    }
    let is_ours = || cross_site::may_pass(method, headers, &app.cookie, &app.allowed_origins);
    if bearer::is_shown(headers) || is_ours() {
        next.run(request).await
    } else {
        Problem::<()>::from(cross_site::refused(headers)).into_response()
    }
}

/// Returns `true` for a browser's CORS preflight. The gateway answers it from its configuration. A
/// success of the function allows nothing, since it has no CORS headers.
fn is_preflight(request: &Request) -> bool {
    let has = |name| request.headers().contains_key(name);
    request.method() == Method::OPTIONS
        && has(header::ORIGIN)
        && has(header::ACCESS_CONTROL_REQUEST_METHOD)
}

/// Responses to unwanted requests, to panics of the handler, and at its time limit.
async fn guard(State(clock): State<Clock>, request: Request, next: Next) -> Response {
    if is_preflight(&request) {
        return StatusCode::NO_CONTENT.into_response();
    }
    if event::had_no_url(&request) {
        let detail =
            "The path and query are not a URL. Escape special characters, such as \" as %22.";
        let refused = invalid("?", FaultCode::Encoding, detail);
        return Problem::<()>::from(refused).into_response();
    }
    let within = time_left(&request, &clock);
    let answer = AssertUnwindSafe(next.run(request)).catch_unwind();
    let error = match timeout(within, answer).await {
        Ok(Ok(response)) => return response,
        Ok(Err(panic)) => {
            let text = panic
                .downcast_ref::<String>()
                .map(String::as_str);
            let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
            let text = text.unwrap_or("a panic without a message");
            Error::internal("a handler panicked", text)
        }
        Err(elapsed) => Error::Unavailable {
            what: "what the function waits for",
            source: elapsed.into(),
        },
    };
    Problem::<()>::from(error).into_response()
}

/// The longest time for an answer: until shortly before Lambda ends the function. The gateway would
/// then answer without a problem body.
fn time_left(request: &Request, clock: &Clock) -> Duration {
    let context = request.lambda_context_ref();
    let deadline = context.map_or(0, |context| context.deadline);
    let now = u64::try_from(clock.now().millis()).unwrap_or_default();
    match deadline.checked_sub(now) {
        Some(left @ 1..) => Duration::from_millis(left).saturating_sub(TO_ANSWER),
        // What stands in for Lambda sets none, or one of long ago, and ends nobody.
        _ => LONGEST,
    }
}

/// Gives the answer its headers and, if it is an error, its body; writes the log line.
async fn finish(State(clock): State<Clock>, request: Request, next: Next) -> Response {
    let text = HeaderValue::from_static;
    let request_id = request_id(&request);
    let traces = telemetry::Traces::of(request.headers());
    let method = request.method().clone();
    // The gateway says so with each request.
    let scheme = request
        .headers()
        .get("x-forwarded-proto");
    let is_https = scheme.is_some_and(|scheme| scheme == "https");
    let path = request.uri().path().to_owned();
    let route = request
        .extensions()
        .get::<MatchedPath>()
        .cloned();
    let route = route
        .as_ref()
        .map_or("(none)", MatchedPath::as_str);
    let answered = store::bounded(MOST_UNITS, next.run(request));
    let answered = telemetry::observe(traces, store::of_request(&request_id, answered));
    let (mut response, record) = answered.await;
    if record.cold_start {
        telemetry::count(Metric::ColdStart, clock.now());
    }
    telemetry::unreadable(&record.used.unreadable, Some(&request_id), clock.now());
    if method == Method::GET {
        response.extensions_mut().insert(OfRead);
    }
    let raised = response
        .extensions_mut()
        .remove::<Raised>();
    let cause = raised.and_then(|raised| raised.take());
    let status = response.status();
    let chain = cause.as_ref().map(Cause::chain);
    record.log(&request_id, &method, route, status, chain.as_deref());
    if status.is_server_error() {
        telemetry::count(Metric::Failure, clock.now());
    } else if status.is_client_error() {
        telemetry::count(Metric::Refusal, clock.now());
    }
    if let Some(cause) = cause {
        let problem = ProblemDetails::of(cause, &path, &request_id);
        *response.body_mut() = Json(problem)
            .into_response()
            .into_body();
        let headers = response.headers_mut();
        let kind = text("application/problem+json");
        headers.insert(header::CONTENT_TYPE, kind);
    }
    let headers = response.headers_mut();
    // Only what is the same for everybody says otherwise.
    let cache = headers.entry(header::CACHE_CONTROL);
    cache.or_insert(text("no-store"));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, text("nosniff"));
    if is_https {
        // Browsers ask this host by https alone for two years.
        headers.insert(header::STRICT_TRANSPORT_SECURITY, text("max-age=63072000"));
    }
    if let Ok(id) = HeaderValue::try_from(request_id) {
        headers.insert(REQUEST_ID, id);
    }
    response
}

/// The gateway's id of the request, or one of our own where no gateway gave one.
fn request_id(request: &Request) -> String {
    match request
        .extensions()
        .get::<RequestContext>()
    {
        Some(RequestContext::ApiGatewayV2(context)) => context.request_id.clone(),
        _ => None,
    }
    .unwrap_or_else(random::token)
}
