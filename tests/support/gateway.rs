//! The gateway: finds the function of a path in the routes that `cargo lambda watch` has, hands it
//! an API Gateway v2 event, and reads its answer as the gateway does.

use std::collections::BTreeMap;

use axum::Router;
use lambda_http::{Adapter, Context, LambdaEvent, Service, request::LambdaRequest};
use resolution_agent::ResolutionAgent;
use serde_json::{Value, json};
use shared::App;
use utoipa::openapi::OpenApi;

use super::{Answer, described, roles};

/// The functions behind their routes.
#[derive(Clone)]
pub struct Gateway {
    functions: BTreeMap<&'static str, Router>,
    routes: Vec<(String, String)>,
}

/// A request as a client sends it.
#[derive(Clone, Debug)]
pub struct Sent<'a> {
    pub method: &'a str,
    pub path: &'a str,
    pub headers: Vec<(String, String)>,
    pub cookie: Option<String>,
    pub body: Option<String>,
    pub address: &'a str,
}

impl Gateway {
    /// The functions of these names.
    pub fn new(functions: impl IntoIterator<Item = (&'static str, Router)>) -> Self {
        Self {
            functions: functions.into_iter().collect(),
            routes: routes_of_watch(),
        }
    }

    /// Sends a request through the event that the gateway makes of it.
    pub async fn send(&self, sent: Sent<'_>) -> Answer {
        let (path, query) = sent.path.split_once('?').unwrap_or((sent.path, ""));
        let Some(name) = self.function(path) else {
            return Answer::not_routed();
        };
        let function = self.functions[name].clone();
        let request: LambdaRequest = serde_json::from_value(event(&sent, path, query)).unwrap();
        let event = LambdaEvent::new(request, Context::default());
        // The adapter cannot be held over the wait: it is not `Send`.
        let answer = Adapter::from(function).call(event);
        let response = roles::acting_as(name, answer).await.unwrap();
        let answer = Answer::from_lambda(&serde_json::to_value(response).unwrap());
        described::check(&sent, &answer);
        answer
    }

    /// The function of a path; a literal segment wins over a parameter.
    fn function(&self, path: &str) -> Option<&str> {
        let mut best: Option<(usize, &str)> = None;
        for (template, function) in &self.routes {
            if let Some(literals) = matches(template, path)
                && best.is_none_or(|(most, _)| literals > most)
            {
                best = Some((literals, function));
            }
        }
        best.map(|(_, function)| function)
    }
}

/// How many segments of a template a path matches literally; `None` when it does not match.
pub fn matches(template: &str, path: &str) -> Option<usize> {
    let (template, path): (Vec<_>, Vec<_>) =
        (template.split('/').collect(), path.split('/').collect());
    if template.len() != path.len() {
        return None;
    }
    let mut literals = 0;
    for (expected, sent) in template.iter().zip(path) {
        if *expected == sent {
            literals += 1;
        } else if !expected.starts_with('{') || sent.is_empty() {
            return None;
        }
    }
    Some(literals)
}

fn event(sent: &Sent<'_>, path: &str, query: &str) -> Value {
    let mut event: Value =
        serde_json::from_str(include_str!("../events/http_request.json")).unwrap();
    let route = format!("{} {path}", sent.method);
    event["routeKey"] = json!(route);
    event["rawPath"] = json!(path);
    event["rawQueryString"] = json!(query);
    if !query.is_empty() {
        event["queryStringParameters"] = json!(parameters(query));
    }
    let context = &mut event["requestContext"];
    context["routeKey"] = json!(route);
    context["http"]["method"] = json!(sent.method);
    context["http"]["path"] = json!(path);
    context["http"]["sourceIp"] = json!(sent.address);
    if let Some(cookie) = &sent.cookie {
        event["cookies"].as_array_mut().unwrap().push(json!(cookie));
    }
    for (name, value) in &sent.headers {
        event["headers"][name.to_ascii_lowercase()] = json!(value);
    }
    if let Some(body) = &sent.body {
        event["headers"]["content-length"] = json!(body.len().to_string());
        event["body"] = json!(body);
    }
    event
}

/// The parameters of a query; the gateway joins repeated ones by a comma.
pub fn parameters(query: &str) -> BTreeMap<String, String> {
    let mut values: BTreeMap<String, String> = BTreeMap::new();
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        values
            .entry(decoded(name))
            .and_modify(|all| *all = format!("{all},{}", decoded(value)))
            .or_insert_with(|| decoded(value));
    }
    values
}

fn decoded(text: &str) -> String {
    percent_encoding::percent_decode_str(&text.replace('+', " "))
        .decode_utf8_lossy()
        .into_owned()
}

/// Path templates and their functions, as `cargo lambda watch` reads them from Cargo.toml.
pub fn routes_of_watch() -> Vec<(String, String)> {
    let manifest: toml::Table = toml::from_str(include_str!("../../Cargo.toml")).unwrap();
    manifest["workspace"]["metadata"]["lambda"]["watch"]["router"]
        .as_table()
        .unwrap()
        .iter()
        .map(|(path, function)| (path.clone(), function.as_str().unwrap().to_owned()))
        .collect()
}

/// What each function says of its own routes.
pub fn documents() -> Vec<(&'static str, OpenApi)> {
    vec![
        ("auth", auth::routes().into_openapi()),
        ("milestones", milestones::routes().into_openapi()),
        (
            "service-requests",
            service_requests::routes().into_openapi(),
        ),
        ("activities", activities::routes().into_openapi()),
        ("tasks", tasks::routes().into_openapi()),
        (
            "managed-services",
            managed_services::routes().into_openapi(),
        ),
        (
            "resolution-agent",
            resolution_agent::routes().into_openapi(),
        ),
    ]
}

/// The API functions.
pub fn functions(app: &App, agent: ResolutionAgent) -> Vec<(&'static str, Router)> {
    let plain = |routes| shared::http::router(routes, app.clone(), app);
    vec![
        ("auth", plain(auth::routes())),
        ("milestones", plain(milestones::routes())),
        ("service-requests", plain(service_requests::routes())),
        ("activities", plain(activities::routes())),
        ("tasks", plain(tasks::routes())),
        ("managed-services", plain(managed_services::routes())),
        (
            "resolution-agent",
            shared::http::router(resolution_agent::routes(), agent, app),
        ),
    ]
}
