//! Faults of requests, and their sources.

use std::{any::Any, fmt::Debug, time::Duration};

use axum::{
    http::StatusCode,
    response::{IntoResponse, Response},
};
use futures::future::BoxFuture;
use serde_json::{Map, Value, json};

use super::{Asked, Served, asked::members};

/// A fault of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Carried out, and the answer is lost.
    LostAnswer,
    /// Carried out, and the answer comes late.
    Slow(Duration),
    /// Carried out, and never answered.
    Unanswered,
    /// Neither carried out nor answered.
    Unheard,
    /// Carried out, and the sender is gone before the answer.
    SenderGone,
    /// Not carried out, and the sender is gone.
    SenderGoneBefore,
    /// Not carried out: another transaction is in the way.
    Conflict,
    /// Not carried out: another transaction is in the way of its last write.
    ConflictAtLast,
    /// Not carried out: another write came first, and the item no longer is as expected.
    Outrun,
    /// Not carried out: the table is out of capacity.
    Throttled,
    /// Not carried out: the table answers 500.
    Broken,
    /// Not carried out: the table denies access.
    Denied,
    /// Of a batch read, only the first key is read.
    OneKeyRead,
    /// Of a batch read, no key is read.
    NoKeyRead,
    /// The query of an index is answered as of some moments ago.
    Stale,
    /// The items of a read by key are not there yet.
    Missing,
    /// The item under this partition and sort key is deleted just before it is carried out.
    After(&'static str, &'static str),
}

/// Says what happens to requests.
pub trait FaultSource: Debug + Send + Sync {
    /// Notes a request that comes in. The returned value lives until it is answered, or until its
    /// sender hangs up.
    fn comes_in(&self) -> Box<dyn Any + Send> {
        Box::new(())
    }

    /// Returns the fault of a request, if any; the request waits until then.
    fn fault<'a>(&'a self, asked: &'a Asked) -> BoxFuture<'a, Option<Fault>>;

    /// Keeps who is never answered waiting.
    fn silence(&self) -> BoxFuture<'_, ()> {
        Box::pin(std::future::pending())
    }

    /// The engine itself could not carry out a request.
    fn engine_failed(&self, _: &Asked) {}

    /// Makes an end of whoever sent a request, as [`Fault::SenderGone`] wants it.
    fn end_sender<'a>(&'a self, _: &'a Asked) -> BoxFuture<'a, ()> {
        Box::pin(std::future::ready(()))
    }
}

impl Served {
    /// Answers a request, with what happens to it.
    pub(super) async fn answer(&self, asked: &Asked, fault: Option<Fault>) -> Response {
        match fault {
            None => self.carry_out(asked).await,
            Some(Fault::LostAnswer) => {
                self.carry_out(asked).await;
                broken()
            }
            Some(Fault::Slow(by)) => {
                let answer = self.carry_out(asked).await;
                tokio::time::sleep(by).await;
                answer
            }
            Some(Fault::Unanswered) => {
                self.carry_out(asked).await;
                self.source.silence().await;
                broken()
            }
            Some(Fault::Unheard) => {
                self.source.silence().await;
                broken()
            }
            Some(Fault::SenderGone) => {
                self.carry_out(asked).await;
                self.source.end_sender(asked).await;
                broken()
            }
            Some(Fault::SenderGoneBefore) => {
                self.source.end_sender(asked).await;
                broken()
            }
            Some(Fault::Conflict) if asked.operation == "TransactWriteItems" => {
                cancelled(asked, "TransactionConflict")
            }
            Some(Fault::ConflictAtLast) if asked.operation == "TransactWriteItems" => {
                let last = asked.transaction().len() - 1;
                cancelled_at(asked, last, "TransactionConflict")
            }
            Some(Fault::Conflict | Fault::ConflictAtLast) => {
                refused("TransactionConflictException")
            }
            Some(Fault::Outrun) if asked.operation == "TransactWriteItems" => {
                cancelled(asked, "ConditionalCheckFailed")
            }
            Some(Fault::Outrun) => refused("ConditionalCheckFailedException"),
            Some(Fault::Throttled) => refused("ProvisionedThroughputExceededException"),
            Some(Fault::Broken) => broken(),
            Some(Fault::Denied) => refused("AccessDeniedException"),
            Some(Fault::OneKeyRead) => self.read_keys(asked, 1).await,
            Some(Fault::NoKeyRead) => self.read_keys(asked, 0).await,
            Some(Fault::Stale) => self.lagging.answer(asked).await,
            Some(Fault::Missing) => missing(asked),
            Some(Fault::After(pk, sk)) => {
                self.delete_before(asked, pk, sk).await;
                self.carry_out(asked).await
            }
        }
    }

    async fn carry_out(&self, asked: &Asked) -> Response {
        let (status, answer) = self.upstream.pass_on(asked).await;
        if status.is_success() {
            self.lagging.note(asked);
        } else if status.is_server_error() {
            self.source.engine_failed(asked);
        }
        (status, answer).into_response()
    }

    /// Reads the first keys of a batch and leaves the others.
    async fn read_keys(&self, asked: &Asked, most: usize) -> Response {
        let mut request = asked.request.clone();
        let mut left = request["RequestItems"].clone();
        let mut answer = json!({"Responses": {}});
        for (table, wanted) in request["RequestItems"]
            .as_object_mut()
            .into_iter()
            .flatten()
        {
            let keys = wanted["Keys"].as_array_mut().unwrap();
            left[table]["Keys"] = json!(keys.split_off(most.min(keys.len())));
        }
        if most > 0 {
            let (status, whole) = self.upstream.ask(asked, &request).await;
            if !status.is_success() {
                return (status, whole.to_string()).into_response();
            }
            answer = whole;
        }
        let any_left = members(&left).any(|(_, left)| left["Keys"] != json!([]));
        answer["UnprocessedKeys"] = if any_left { left } else { json!({}) };
        answer.to_string().into_response()
    }

    /// Deletes an item of the table that a transaction writes to.
    async fn delete_before(&self, asked: &Asked, pk: &str, sk: &str) {
        let table = &asked.transaction().first().unwrap().1["TableName"];
        let delete = json!({"TableName": table, "Key": {"pk": {"S": pk}, "sk": {"S": sk}}});
        self.upstream
            .expect("DeleteItem", &delete)
            .await;
    }
}

/// A transaction that was cancelled for its first write.
fn cancelled(asked: &Asked, reason: &str) -> Response {
    cancelled_at(asked, 0, reason)
}

/// A transaction that was cancelled for its write at a place.
fn cancelled_at(asked: &Asked, place: usize, reason: &str) -> Response {
    let mut reasons = vec![json!({"Code": "None"}); asked.transaction().len()];
    reasons[place] = json!({"Code": reason, "Message": "injected"});
    let more = json!({"CancellationReasons": reasons});
    let body = problem("TransactionCanceledException", "injected", more);
    (StatusCode::BAD_REQUEST, body).into_response()
}

/// A read by key that finds nothing.
fn missing(asked: &Asked) -> Response {
    let nothing: Map<String, Value> = members(&asked.request["RequestItems"])
        .map(|(name, _)| (name.to_owned(), json!([])))
        .collect();
    let answer = match asked.operation.as_str() {
        "BatchGetItem" => json!({"Responses": nothing, "UnprocessedKeys": {}}),
        _ => json!({}),
    };
    answer.to_string().into_response()
}

fn refused(code: &str) -> Response {
    let body = problem(code, "injected", json!({}));
    (StatusCode::BAD_REQUEST, body).into_response()
}

fn broken() -> Response {
    let body = problem("InternalServerError", "injected", json!({}));
    (StatusCode::INTERNAL_SERVER_ERROR, body).into_response()
}

/// An error as DynamoDB writes it.
pub(super) fn problem(code: &str, message: &str, mut more: Value) -> String {
    more["__type"] = json!(format!("com.amazonaws.dynamodb.v20120810#{code}"));
    more["Message"] = json!(message);
    more.to_string()
}
