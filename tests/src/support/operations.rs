//! The operations, as the code describes them.

use std::{collections::BTreeMap, fs, sync::LazyLock};

use serde_json::Value;
use shared::openapi::Examples;
use utoipa::openapi::OpenApi;

use crate::{api_functions, path};

use super::{Answer, Caller, described::resolved, example};

/// The methods, in the order in which lists have them.
pub const METHODS: [&str; 5] = ["GET", "POST", "PUT", "PATCH", "DELETE"];

#[derive(Debug)]
pub struct Operation {
    pub function: &'static str,
    pub method: &'static str,
    pub path: String,
    /// The operation's part of the document.
    pub described: Value,
}

/// The file with the examples of answers.
pub const EXAMPLES: &str = "shared/src/openapi/examples.json";

/// The document of all functions together.
pub fn document() -> OpenApi {
    let recorded = fs::read_to_string(path(EXAMPLES)).unwrap();
    document_with(serde_json::from_str(&recorded).unwrap())
}

/// The document of all functions together, with other examples: by their origin, then by the names
/// of their schemas.
pub fn document_with(examples: BTreeMap<String, Examples>) -> OpenApi {
    let examples = examples
        .into_values()
        .flatten()
        .collect();
    shared::openapi::document(api_functions().map(|(_, api)| api.document()), examples)
}

/// Every operation: by function, then by path.
pub fn operations() -> &'static [Operation] {
    static ALL: LazyLock<Vec<Operation>> = LazyLock::new(|| {
        api_functions()
            .flat_map(of_function)
            .collect()
    });
    &ALL
}

fn of_function((function, api): (&'static str, crate::ApiFunction)) -> Vec<Operation> {
    let document = serde_json::to_value(api.document()).unwrap();
    let mut operations = Vec::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for method in METHODS {
            if let Some(described) = item.get(method.to_ascii_lowercase()) {
                operations.push(Operation {
                    function,
                    method,
                    path: path.clone(),
                    described: described.clone(),
                });
            }
        }
    }
    operations
}

impl Operation {
    /// The operation of a method and a path.
    pub fn of(method: &str, path: &str) -> &'static Self {
        let mut operations = operations().iter();
        let operation =
            operations.find(|operation| operation.method == method && operation.path == path);
        operation.unwrap_or_else(|| panic!("no operation is {method} {path}"))
    }

    /// Every operation that reads.
    pub fn reads() -> impl Iterator<Item = &'static Self> {
        operations()
            .iter()
            .filter(|operation| operation.method == "GET")
    }

    /// Every operation that needs a caller.
    pub fn of_callers() -> impl Iterator<Item = &'static Self> {
        operations()
            .iter()
            .filter(|operation| !operation.needs().is_empty())
    }

    /// Its method and path.
    pub fn name(&self) -> String {
        format!("{} {}", self.method, self.path)
    }

    pub fn parameters(&self) -> impl Iterator<Item = &Value> {
        let parameters = self.described["parameters"].as_array();
        parameters.into_iter().flatten()
    }

    pub fn parameter(&self, name: &str) -> Option<&Value> {
        self.parameters()
            .find(|parameter| parameter["name"] == name)
    }

    /// The orders of a list; none of any other operation.
    pub fn sorts(&self) -> Vec<&str> {
        let sort = self.parameter("sort").into_iter();
        let schemas = sort.map(|sort| resolved(&sort["schema"]));
        let schemas = schemas.flat_map(|schema| {
            std::iter::once(schema).chain(
                schema["oneOf"]
                    .as_array()
                    .into_iter()
                    .flatten(),
            )
        });
        let names = schemas.filter_map(|schema| schema["enum"].as_array());
        names
            .flatten()
            .map(|name| name.as_str().unwrap())
            .collect()
    }

    pub fn takes_body(&self) -> bool {
        self.described
            .get("requestBody")
            .is_some()
    }

    /// Sends a body without JSON and an unknown parameter. Both are refused after 401 and 403.
    pub async fn asked_by(&self, caller: &Caller, id: &str) -> Answer {
        let body = (self.method != "GET").then(|| "{".to_owned());
        let path = format!("{}?x=1", example(&self.path, id));
        caller
            .send(self.method, &path, body)
            .await
    }

    /// Returns whether it takes a token as well as a session.
    pub fn takes_tokens(&self) -> bool {
        let mut schemes = self.described["security"]
            .as_array()
            .into_iter()
            .flatten();
        schemes.any(|scheme| scheme.get("bearer").is_some())
    }

    /// The needs of its caller, for people; none when it is open to everybody.
    pub fn needs(&self) -> Vec<&str> {
        let needs = self.described[shared::http::operation::NEEDS].as_array();
        let needs = needs.into_iter().flatten();
        needs
            .map(|need| need.as_str().unwrap())
            .collect()
    }
}
