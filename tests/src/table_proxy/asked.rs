//! A request to the table.

use axum::{
    body::Bytes,
    extract::{FromRequest, Request, rejection::BytesRejection},
    http::{HeaderMap, HeaderName},
};
use serde_json::{Map, Value};

/// A request that has just come in.
#[derive(Clone, Debug)]
pub struct Asked {
    /// The client, by the URL of its requests; empty where that names none.
    pub sender: String,
    /// The operation, such as `PutItem`.
    pub operation: String,
    /// Which attempt of the SDK this is, from 1 on.
    pub attempt: u32,
    /// The request's own text.
    pub body: Bytes,
    /// The body as JSON.
    pub request: Value,
    pub(super) headers: HeaderMap,
}

/// The key of an item: table, partition and sort key.
pub type ItemKey = (String, String, String);

impl<S: Send + Sync> FromRequest<S> for Asked {
    type Rejection = BytesRejection;

    async fn from_request(request: Request, state: &S) -> Result<Self, BytesRejection> {
        let sender = request.uri().path();
        let mut headers = request.headers().clone();
        let sender = sender.trim_matches('/').to_owned();
        let body = Bytes::from_request(request, state).await?;
        let text = |name: HeaderName| {
            headers
                .get(name)
                .and_then(|value| value.to_str().ok())
        };
        let target = text(HeaderName::from_static("x-amz-target")).unwrap_or_default();
        let operation = target
            .rsplit('.')
            .next()
            .unwrap_or_default()
            .to_owned();
        let attempt = text(HeaderName::from_static("amz-sdk-request"))
            .into_iter()
            .flat_map(|header| header.split(';'))
            .find_map(|part| {
                part.trim()
                    .strip_prefix("attempt=")?
                    .parse()
                    .ok()
            });
        let attempt = attempt.unwrap_or(1);
        headers.remove("content-length");
        headers.remove("host");
        Ok(Self {
            sender,
            operation,
            attempt,
            request: serde_json::from_slice(&body).unwrap_or_default(),
            body,
            headers,
        })
    }
}

impl Asked {
    /// Returns whether it changes items.
    #[must_use]
    pub fn writes(&self) -> bool {
        self.is_single_write()
            || matches!(
                self.operation.as_str(),
                "TransactWriteItems" | "BatchWriteItem"
            )
    }

    /// Returns whether it changes one item.
    #[must_use]
    pub fn is_single_write(&self) -> bool {
        matches!(
            self.operation.as_str(),
            "PutItem" | "UpdateItem" | "DeleteItem"
        )
    }

    /// Returns whether it reads an index.
    #[must_use]
    pub fn queries_an_index(&self) -> bool {
        self.operation == "Query" && self.request["IndexName"].is_string()
    }

    /// The writes of a transaction, each with its kind, such as `Put`.
    #[must_use]
    pub fn transaction(&self) -> Vec<(&str, &Value)> {
        let items = self.request["TransactItems"].as_array();
        items
            .into_iter()
            .flatten()
            .flat_map(members)
            .collect()
    }

    /// The items that it writes to, or checks in a transaction.
    #[must_use]
    pub fn items(&self) -> Vec<ItemKey> {
        let request = &self.request;
        match self.operation.as_str() {
            "PutItem" | "UpdateItem" | "DeleteItem" => item_key(request).into_iter().collect(),
            "TransactWriteItems" => self
                .transaction()
                .into_iter()
                .filter_map(|(_, write)| item_key(write))
                .collect(),
            "BatchWriteItem" => self
                .batch_writes()
                .into_iter()
                .filter_map(|(table, write)| key_in(table, write))
                .collect(),
            _ => Vec::new(),
        }
    }

    /// The writes of a batch, each with its table: a put's item, or a deletion's key.
    pub(super) fn batch_writes(&self) -> Vec<(&str, &Value)> {
        let writes = members(&self.request["RequestItems"]).flat_map(|(table, writes)| {
            let writes = writes.as_array().into_iter().flatten();
            writes.flat_map(move |write| {
                members(write).map(move |(kind, write)| match kind {
                    "PutRequest" => (table, &write["Item"]),
                    _ => (table, &write["Key"]),
                })
            })
        });
        writes.collect()
    }
}

/// The members of an object; none of anything else.
pub(super) fn members(object: &Value) -> impl Iterator<Item = (&str, &Value)> {
    let members = object
        .as_object()
        .into_iter()
        .flat_map(Map::iter);
    members.map(|(name, value)| (name.as_str(), value))
}

/// The key of the item that a write is about.
fn item_key(write: &Value) -> Option<ItemKey> {
    let table = write["TableName"].as_str()?;
    let key = write
        .get("Key")
        .or_else(|| write.get("Item"))?;
    key_in(table, key)
}

fn key_in(table: &str, item: &Value) -> Option<ItemKey> {
    let text = |name: &str| {
        item[name]["S"]
            .as_str()
            .map(str::to_owned)
    };
    Some((table.to_owned(), text("pk")?, text("sk")?))
}
