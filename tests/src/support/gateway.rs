//! The gateway: finds the function of a path, hands it an API Gateway v2 event, and reads its
//! answer as the gateway does.

use std::collections::BTreeMap;

use axum::Router;
use lambda_http::{Context, LambdaEvent, Service, request::LambdaRequest};
use local::gateway::handed_over;
use serde_json::{Value, json};
use shared::serve;

use crate::{States, api_functions};

use super::{Answer, described, operations, roles, weather::Outdoors};

/// The functions behind their routes.
#[derive(Clone)]
pub struct Gateway {
    functions: BTreeMap<&'static str, Router>,
    /// When Lambda ends the function, in milliseconds since the Unix epoch; never, if it is 0.
    deadline: u64,
    /// Holds answers against the document.
    is_checked: bool,
    /// The weather that lets indexes lag, if there is any.
    pub(super) outdoors: Option<Outdoors>,
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
            deadline: 0,
            is_checked: true,
            outdoors: None,
        }
    }

    /// Leaves out the check of answers against the document, which takes time.
    pub fn unchecked(self) -> Self {
        Self {
            is_checked: false,
            ..self
        }
    }

    /// Ends the functions at that time, in milliseconds since the Unix epoch.
    pub fn ending_at(self, deadline: u64) -> Self {
        Self { deadline, ..self }
    }

    /// All API functions.
    pub fn of(states: &States) -> Self {
        Self::new(api_functions().map(|(name, api)| (name, api.router(states))))
    }

    /// Sends a request through the event that the gateway makes of it. A reader with lagging
    /// indexes gets an answer that the document knows, and then the right one.
    pub async fn send(&self, sent: Sent<'_>) -> Answer {
        let stale = match &self.outdoors {
            Some(outdoors) if sent.method == "GET" => {
                let _lag = outdoors.lags();
                Some(self.pass_on(&sent).await)
            }
            _ => None,
        };
        let answer = self.pass_on(&sent).await;
        if let Some(stale) = stale.filter(|stale| stale.status >= 500) {
            let path = sent.path;
            assert_eq!(stale.status, answer.status, "{path}: {}", stale.text);
        }
        answer
    }

    async fn pass_on(&self, sent: &Sent<'_>) -> Answer {
        let (path, query) = sent
            .path
            .split_once('?')
            .unwrap_or((sent.path, ""));
        let route = route(path);
        let name = route.function;
        let is_page = route.is_page;
        let Some(function) = self.functions.get(name).cloned() else {
            return Answer::not_routed();
        };
        let Some(raw_path) = handed_over(path) else {
            return Answer::of_gateway(400, "Bad Request");
        };
        let event = event(sent, (path, &raw_path), route.template, query);
        let request: LambdaRequest = serde_json::from_value(event).unwrap();
        let mut context = Context::default();
        context.deadline = self.deadline;
        let event = LambdaEvent::new(request, context);
        // The function cannot be held over the wait: it is not `Send`.
        let answer = serve::lambda(function).call(event);
        let response = roles::acting_as(name, answer)
            .await
            .unwrap();
        let answer = Answer::from_lambda(&serde_json::to_value(response).unwrap());
        // What is for browsers, the document does not have.
        let is_redirect = answer.status == 308;
        let for_browsers = is_page || is_redirect || ["OPTIONS", "HEAD"].contains(&sent.method);
        // An escaped path may be none, whichever it looks like.
        let is_none = path.contains('%') && answer.status == 404;
        if self.is_checked && !is_none && (!for_browsers || answer.status >= 400) {
            described::check(sent, &answer);
        }
        answer
    }
}

/// The function of what no other route takes.
const DEFAULT: &str = "pages";

/// A route of the gateway.
struct Route {
    function: &'static str,
    /// The path of operations; none of pages, and of the default route.
    template: Option<&'static str>,
    is_page: bool,
}

/// The route of a path; a literal segment wins over a parameter.
fn route(path: &str) -> Route {
    let of_operations = operations().iter();
    let of_operations =
        of_operations.map(|operation| (operation.path.as_str(), operation.function, false));
    let of_pages = api_functions().flat_map(|(name, api)| {
        api.pages
            .iter()
            .map(move |page| (*page, name, true))
    });
    let routes = of_operations.chain(of_pages);
    let matching = routes.filter_map(|route| Some((matches(route.0, path)?, route)));
    let (_, (template, function, is_page)) = matching
        .max()
        .unwrap_or((0, ("", DEFAULT, false)));
    Route {
        function,
        template: Some(template).filter(|template| !is_page && !template.is_empty()),
        is_page,
    }
}

/// Returns how many segments of a template a path matches literally; `None` when it does not match.
pub fn matches(template: &str, path: &str) -> Option<usize> {
    if template.matches('/').count() != path.matches('/').count() {
        return None;
    }
    let mut literals = 0;
    for (expected, sent) in template.split('/').zip(path.split('/')) {
        if expected == sent {
            literals += 1;
        } else if !expected.starts_with('{') || sent.is_empty() {
            return None;
        }
    }
    Some(literals)
}

/// The event of a request, by its path as it was sent and as it is handed over.
fn event(
    sent: &Sent<'_>,
    (path, raw_path): (&str, &str),
    template: Option<&str>,
    query: &str,
) -> Value {
    let event = include_str!("../../events/http_request.json");
    let mut event: Value = serde_json::from_str(event).unwrap();
    let route = template.map_or_else(
        || "$default".to_owned(),
        |template| {
            event["pathParameters"] = json!(path_parameters(template, path));
            format!("ANY {template}")
        },
    );
    event["routeKey"] = json!(route);
    event["rawPath"] = json!(raw_path);
    event["rawQueryString"] = json!(query);
    if !query.is_empty() {
        event["queryStringParameters"] = json!(parameters(query));
    }
    let context = &mut event["requestContext"];
    context["routeKey"] = json!(route);
    context["http"]["method"] = json!(sent.method);
    context["http"]["path"] = json!(raw_path);
    context["http"]["sourceIp"] = json!(sent.address);
    if let Some(cookie) = &sent.cookie {
        let cookies = event["cookies"].as_array_mut().unwrap();
        cookies.extend(
            cookie
                .split("; ")
                .map(|cookie| json!(cookie)),
        );
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

/// The parameters of a path, as it was sent.
fn path_parameters<'a>(template: &'a str, path: &'a str) -> BTreeMap<&'a str, &'a str> {
    let segments = template.split('/').zip(path.split('/'));
    let named = segments.filter_map(|(name, value)| {
        let name = name
            .strip_prefix('{')?
            .strip_suffix('}')?;
        Some((name, value))
    });
    named.collect()
}

/// The parameters of a query; the gateway joins repeated ones by a comma.
pub fn parameters(query: &str) -> BTreeMap<String, String> {
    let mut values: BTreeMap<String, String> = BTreeMap::new();
    for pair in query
        .split('&')
        .filter(|pair| !pair.is_empty())
    {
        let (name, value) = pair
            .split_once('=')
            .unwrap_or((pair, ""));
        values
            .entry(decoded(name))
            .and_modify(|joined| *joined = format!("{joined},{}", decoded(value)))
            .or_insert_with(|| decoded(value));
    }
    values
}

fn decoded(text: &str) -> String {
    percent_encoding::percent_decode_str(&text.replace('+', " "))
        .decode_utf8_lossy()
        .into_owned()
}
