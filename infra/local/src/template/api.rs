//! The HTTP API of the template: routes and CORS lists.

use http::Method;
use serde::Deserialize;
use serde_json::Value;

use super::{error::TemplateError, file::File};

/// Logical name of the API in the template.
const API: &str = "Api";

/// An API Gateway HTTP API.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HttpApi {
    /// Routes to the functions.
    pub routes: Vec<Route>,
    /// CORS lists, which apply once there are allowed origins.
    pub cors: CorsLists,
}

/// A route and the function behind it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Route {
    /// Requests that it matches.
    pub key: RouteKey,
    /// Name of the function's package.
    pub function: String,
}

/// The requests that a route matches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RouteKey {
    /// `$default`: requests that no other route matches.
    Default,
    /// A path; each `{name}` in it matches one segment.
    Path(Methods, String),
}

/// The methods of a route.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Methods {
    /// All methods.
    Any,
    One(Method),
}

/// The lists of the CORS configuration, without the origins, which are a parameter of the template.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct CorsLists {
    /// Methods that a page of another origin may use.
    pub allow_methods: Vec<String>,
    /// Request headers that such a page may set.
    pub allow_headers: Vec<String>,
    /// Response headers that such a page may read.
    pub expose_headers: Vec<String>,
    /// True if such a page may use the session cookie.
    pub allow_credentials: bool,
    /// Seconds for which a browser may cache the answer to a preflight.
    pub max_age: u32,
}

/// Reads the API from the template's resources.
pub(super) fn read(file: &File) -> Result<HttpApi, TemplateError> {
    let api: ApiProperties = file.properties(API, "AWS::ApiGatewayV2::Api")?;
    let routes = file
        .names_of("AWS::ApiGatewayV2::Route")
        .map(|name| route(file, name))
        .collect::<Result<_, _>>()?;
    Ok(HttpApi {
        routes,
        cors: cors(&api.cors_configuration)?,
    })
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct ApiProperties {
    cors_configuration: Value,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct RouteProperties {
    route_key: String,
    target: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct IntegrationProperties {
    integration_uri: String,
}

/// Reads the CORS lists. `!If [condition, lists, nothing]` is parsed as the list behind the tag.
fn cors(configuration: &Value) -> Result<CorsLists, TemplateError> {
    let lists = configuration
        .get(1)
        .unwrap_or(configuration);
    CorsLists::deserialize(lists).map_err(|error| TemplateError::properties(API, error.to_string()))
}

fn route(file: &File, name: &str) -> Result<Route, TemplateError> {
    let route: RouteProperties = file.properties(name, "AWS::ApiGatewayV2::Route")?;
    let key = key(&route.route_key)
        .ok_or_else(|| TemplateError::properties(name, format!("the key {:?}", route.route_key)))?;
    let integration = route
        .target
        .strip_prefix("integrations/${")
        .and_then(|target| target.strip_suffix('}'))
        .ok_or_else(|| TemplateError::properties(name, format!("the target {:?}", route.target)))?;
    let target: IntegrationProperties =
        file.properties(integration, "AWS::ApiGatewayV2::Integration")?;
    let function = target
        .integration_uri
        .strip_suffix(".Arn")
        .ok_or_else(|| {
            TemplateError::properties(integration, "IntegrationUri is not the ARN of a function")
        })?;
    Ok(Route {
        key,
        function: file
            .function(function)?
            .package()
            .to_owned(),
    })
}

fn key(text: &str) -> Option<RouteKey> {
    if text == "$default" {
        return Some(RouteKey::Default);
    }
    let (method, path) = text.split_once(' ')?;
    let methods = match method {
        "ANY" => Methods::Any,
        "GET" | "POST" | "PUT" | "PATCH" | "DELETE" | "HEAD" | "OPTIONS" => {
            Methods::One(method.parse().ok()?)
        }
        _ => return None,
    };
    Some(RouteKey::Path(methods, path.to_owned()))
}

#[cfg(test)]
mod tests {
    use shared::http::cors::ALLOWED_HEADERS;

    use super::*;
    use crate::template::Template;

    #[test]
    fn every_route_of_the_deployed_template_leads_to_a_function() {
        let api = Template::deployed().unwrap().api;
        let function = |wanted: &RouteKey| {
            let route = api
                .routes
                .iter()
                .find(|route| route.key == *wanted);
            route.map(|route| route.function.as_str())
        };
        let any = |path: &str| RouteKey::Path(Methods::Any, path.to_owned());
        assert_eq!(function(&RouteKey::Default), Some("pages"));
        assert_eq!(function(&any("/api/tasks/{id}")), Some("tasks"));
        let comments = "/api/service-requests/{serviceRequestId}/comments";
        assert_eq!(function(&any(comments)), Some("service-requests"));
        assert_eq!(api.cors.allow_headers, ALLOWED_HEADERS);
        assert!(api.cors.allow_credentials);
    }
}
