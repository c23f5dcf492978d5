//! Operations as the document describes them.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::LazyLock,
};

use serde_json::Value;

use super::schema::{DOCUMENT, Schema, optional_members, resolved};

static OPERATIONS: LazyLock<BTreeMap<String, BTreeMap<String, Operation>>> = LazyLock::new(|| {
    let paths = DOCUMENT["paths"].as_object().unwrap();
    paths
        .iter()
        .map(|(path, item)| (path.clone(), operations(item)))
        .collect()
});

/// An operation as the document describes it.
pub struct Operation {
    /// Schemas of its query parameters.
    pub query: BTreeMap<String, Schema>,
    pub body: Option<RequestBody>,
    pub answers: BTreeMap<u16, DescribedAnswer>,
}

/// A body that an operation takes.
pub struct RequestBody {
    pub required: bool,
    pub schema: Schema,
}

/// An answer of an operation under a status.
pub struct DescribedAnswer {
    /// Schemas by content type; none for an answer without a body.
    pub content: BTreeMap<String, Schema>,
    /// By name in lower case.
    pub headers: BTreeMap<String, DescribedHeader>,
    /// Members that should be required.
    pub optional: BTreeSet<String>,
}

pub struct DescribedHeader {
    pub required: bool,
    pub schema: Schema,
}

/// Every operation of the document, by path template and method.
pub fn all() -> &'static BTreeMap<String, BTreeMap<String, Operation>> {
    &OPERATIONS
}

/// The template of a path, whatever the method: a literal segment wins over a parameter.
fn template(path: &str) -> Option<&'static str> {
    let matching = all().keys().filter_map(|template| {
        let literals = crate::support::gateway::matches(template, path)?;
        Some((literals, template.as_str()))
    });
    matching
        .max()
        .map(|(_, template)| template)
}

/// The operation that a request is for, and its name.
pub fn of(method: &str, path: &str) -> Option<(String, &'static Operation)> {
    let template = template(path)?;
    let operation = all()[template].get(method)?;
    Some((format!("{method} {template}"), operation))
}

fn operations(item: &Value) -> BTreeMap<String, Operation> {
    let of_path = item["parameters"]
        .as_array()
        .into_iter()
        .flatten();
    let of_path: Vec<_> = of_path.cloned().collect();
    let mut operations = BTreeMap::new();
    for method in ["GET", "POST", "PUT", "PATCH", "DELETE"] {
        if let Some(operation) = item.get(method.to_ascii_lowercase()) {
            operations.insert(method.to_owned(), Operation::read(operation, &of_path));
        }
    }
    operations
}

impl Operation {
    fn read(operation: &Value, of_path: &[Value]) -> Self {
        let parameters = operation["parameters"]
            .as_array()
            .into_iter()
            .flatten();
        let parameters = parameters.chain(of_path).map(resolved);
        let query = parameters
            .filter(|parameter| parameter["in"] == "query")
            .map(|parameter| {
                let name = parameter["name"]
                    .as_str()
                    .unwrap()
                    .to_owned();
                (name, Schema::of_request(&parameter["schema"]))
            });
        let body = operation
            .get("requestBody")
            .map(|body| {
                let body = resolved(body);
                RequestBody {
                    required: body["required"] == true,
                    schema: Schema::of_request(&body["content"]["application/json"]["schema"]),
                }
            });
        let answers = operation["responses"]
            .as_object()
            .unwrap()
            .iter();
        Self {
            query: query.collect(),
            body,
            answers: answers
                .map(|(status, answer)| {
                    let answer = DescribedAnswer::read(resolved(answer));
                    (status.parse().unwrap(), answer)
                })
                .collect(),
        }
    }
}

impl DescribedAnswer {
    fn read(answer: &Value) -> Self {
        let contents = answer["content"]
            .as_object()
            .into_iter()
            .flatten();
        let headers = answer["headers"]
            .as_object()
            .into_iter()
            .flatten();
        let header = |(name, header): (&String, &Value)| {
            let header = resolved(header);
            let described = DescribedHeader {
                required: header["required"] == true,
                schema: Schema::of_request(&header["schema"]),
            };
            (name.to_ascii_lowercase(), described)
        };
        Self {
            content: contents
                .clone()
                .map(|(name, content)| (name.clone(), Schema::of_answer(&content["schema"])))
                .collect(),
            headers: headers.map(header).collect(),
            optional: contents
                .flat_map(|(_, content)| optional_members(&content["schema"]))
                .collect(),
        }
    }
}
