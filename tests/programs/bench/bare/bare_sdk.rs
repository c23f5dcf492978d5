//! Sends the recorded table requests of another function with the bare SDK, reads none of the
//! results, and answers the same few bytes each time. The other function's time and CPU are held
//! against it.
//!
//! Starts as every function does, so that its client is configured alike. `TABLE_REQUESTS` has the
//! recorded requests: for each path the requests in turns, those of a turn at the same time.

use std::collections::HashMap;

use aws_sdk_dynamodb::{
    Client,
    operation::{
        batch_get_item::builders::BatchGetItemInputBuilder,
        get_item::builders::GetItemInputBuilder, query::builders::QueryInputBuilder,
    },
    types::{AttributeValue, KeysAndAttributes},
};
use futures::future::{BoxFuture, FutureExt, try_join_all};
use lambda_http::{Body, Error, Request, RequestExt, Response, run, service_fn};
use runtime::{Start, config::Patience};
use serde::Deserialize;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    let start = Start::cold(Patience::Client).await?;
    let purpose = "the requests to send, as JSON: path, turns, requests";
    let requests = start
        .environment
        .required("TABLE_REQUESTS", purpose)?;
    let requests: HashMap<String, Vec<Vec<Wanted>>> = serde_json::from_str(requests)?;
    let requests: HashMap<String, Vec<Vec<Prepared>>> = requests
        .into_iter()
        .map(|(path, turns)| Ok((path, prepare(turns)?)))
        .collect::<Result<_, Error>>()?;
    let client = &start.dynamodb;
    let requests = &requests;
    run(service_fn(async |request: Request| {
        let turns = requests.get(request.raw_http_path());
        for turn in turns.ok_or("nothing was recorded for this path")? {
            try_join_all(
                turn.iter()
                    .map(|request| request.send(client)),
            )
            .await?;
        }
        Ok::<_, Error>(Response::new(Body::from("{}")))
    }))
    .await
}

/// A request's body, all of it: a member that is not among these is an error, since the request
/// would not be the same without it.
#[derive(Deserialize)]
#[serde(tag = "operation", content = "body")]
enum Wanted {
    GetItem(GetItem),
    BatchGetItem(BatchGetItem),
    Query(Box<Query>),
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase", deny_unknown_fields)]
struct GetItem {
    table_name: String,
    key: serde_dynamo::Item,
    consistent_read: Option<bool>,
    return_consumed_capacity: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase", deny_unknown_fields)]
struct BatchGetItem {
    request_items: HashMap<String, Keys>,
    return_consumed_capacity: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase", deny_unknown_fields)]
struct Keys {
    keys: Vec<serde_dynamo::Item>,
    consistent_read: Option<bool>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase", deny_unknown_fields)]
struct Query {
    table_name: String,
    index_name: Option<String>,
    key_condition_expression: Option<String>,
    filter_expression: Option<String>,
    projection_expression: Option<String>,
    expression_attribute_names: Option<HashMap<String, String>>,
    expression_attribute_values: Option<serde_dynamo::Item>,
    exclusive_start_key: Option<serde_dynamo::Item>,
    scan_index_forward: Option<bool>,
    consistent_read: Option<bool>,
    limit: Option<i32>,
    select: Option<String>,
    return_consumed_capacity: Option<String>,
}

/// A request that is built, and sent as often as its path is asked for.
enum Prepared {
    GetItem(GetItemInputBuilder),
    BatchGetItem(BatchGetItemInputBuilder),
    Query(Box<QueryInputBuilder>),
}

fn prepare(turns: Vec<Vec<Wanted>>) -> Result<Vec<Vec<Prepared>>, Error> {
    let turns = turns.into_iter();
    turns
        .map(|turn| {
            turn.into_iter()
                .map(Prepared::from_wanted)
                .collect()
        })
        .collect()
}

impl Prepared {
    fn from_wanted(wanted: Wanted) -> Result<Self, Error> {
        Ok(match wanted {
            Wanted::GetItem(wanted) => Self::GetItem(
                GetItemInputBuilder::default()
                    .table_name(wanted.table_name)
                    .set_key(Some(attributes(wanted.key)))
                    .set_consistent_read(wanted.consistent_read)
                    .set_return_consumed_capacity(name(wanted.return_consumed_capacity)),
            ),
            Wanted::BatchGetItem(wanted) => Self::BatchGetItem(batch(wanted)?),
            Wanted::Query(wanted) => Self::Query(Box::new(query(*wanted))),
        })
    }

    fn send<'a>(&self, client: &'a Client) -> BoxFuture<'a, Result<(), Error>> {
        match self {
            Self::GetItem(request) => {
                let request = request.clone();
                async {
                    Ok(request
                        .send_with(client)
                        .await
                        .map(drop)?)
                }
                .boxed()
            }
            Self::BatchGetItem(request) => {
                let request = request.clone();
                async {
                    Ok(request
                        .send_with(client)
                        .await
                        .map(drop)?)
                }
                .boxed()
            }
            Self::Query(request) => {
                let request = request.clone();
                async {
                    Ok(request
                        .send_with(client)
                        .await
                        .map(drop)?)
                }
                .boxed()
            }
        }
    }
}

fn batch(wanted: BatchGetItem) -> Result<BatchGetItemInputBuilder, Error> {
    let capacity = name(wanted.return_consumed_capacity);
    let mut request = BatchGetItemInputBuilder::default().set_return_consumed_capacity(capacity);
    for (table, keys) in wanted.request_items {
        let keys = KeysAndAttributes::builder()
            .set_keys(Some(
                keys.keys
                    .into_iter()
                    .map(attributes)
                    .collect(),
            ))
            .set_consistent_read(keys.consistent_read)
            .build()?;
        request = request.request_items(table, keys);
    }
    Ok(request)
}

fn query(wanted: Query) -> QueryInputBuilder {
    QueryInputBuilder::default()
        .table_name(wanted.table_name)
        .set_index_name(wanted.index_name)
        .set_key_condition_expression(wanted.key_condition_expression)
        .set_filter_expression(wanted.filter_expression)
        .set_projection_expression(wanted.projection_expression)
        .set_expression_attribute_names(wanted.expression_attribute_names)
        .set_expression_attribute_values(
            wanted
                .expression_attribute_values
                .map(attributes),
        )
        .set_exclusive_start_key(
            wanted
                .exclusive_start_key
                .map(attributes),
        )
        .set_scan_index_forward(wanted.scan_index_forward)
        .set_consistent_read(wanted.consistent_read)
        .set_limit(wanted.limit)
        .set_select(name(wanted.select))
        .set_return_consumed_capacity(name(wanted.return_consumed_capacity))
}

fn attributes(item: serde_dynamo::Item) -> HashMap<String, AttributeValue> {
    item.into()
}

/// One of the SDK's enumerations by the name that it has in a request.
fn name<T: for<'a> From<&'a str>>(name: Option<String>) -> Option<T> {
    name.map(|name| T::from(name.as_str()))
}
