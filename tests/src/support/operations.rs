//! The operations, as the code describes them.

use std::sync::LazyLock;

use crate::api_functions;
use serde_json::Value;
use utoipa::openapi::OpenApi;

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

/// The document of all functions together.
pub fn document() -> OpenApi {
    shared::openapi::document(api_functions().map(|(_, api)| api.document()))
}

/// Every operation: by function, then by path.
pub fn operations() -> &'static [Operation] {
    static ALL: LazyLock<Vec<Operation>> =
        LazyLock::new(|| api_functions().flat_map(of_function).collect());
    &ALL
}

fn of_function((function, api): (&'static str, crate::ApiFunction)) -> Vec<Operation> {
    let document = serde_json::to_value(api.document()).unwrap();
    let mut all = Vec::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for method in METHODS {
            if let Some(described) = item.get(method.to_ascii_lowercase()) {
                all.push(Operation {
                    function,
                    method,
                    path: path.clone(),
                    described: described.clone(),
                });
            }
        }
    }
    all
}

impl Operation {
    /// Returns whether it takes a token as well as a session.
    pub fn takes_tokens(&self) -> bool {
        let schemes = self.described["security"].as_array();
        let mut schemes = schemes.into_iter().flatten();
        schemes.any(|scheme| scheme.get("bearer").is_some())
    }

    /// The needs of its caller, for people; none when it is open to everybody.
    pub fn needs(&self) -> Vec<&str> {
        let needs = self.described[shared::http::operation::NEEDS].as_array();
        let needs = needs.into_iter().flatten();
        needs.map(|need| need.as_str().unwrap()).collect()
    }
}
