//! A proxy before the queue, which is down, doubles, delays and loses messages, and takes poisoned
//! ones.

use std::sync::Arc;

use axum::{
    Router,
    extract::State,
    http::StatusCode,
    response::{IntoResponse, Response},
};
use serde_json::{Value, json};
use tests::table_proxy::{self, Asked, Upstream};

use crate::{fates::Fates, kind::Kind};

/// Seconds for which a received message stays invisible, instead of a minute and a half.
const VISIBILITY: u32 = 3;

/// Seconds by which a message is late.
const LATE: u64 = 4;

/// The most seconds by which the queue delays a message: longer than the campaign lasts.
const NEVER: u64 = 900;

#[derive(Clone)]
struct Proxy {
    sqs: Upstream,
    fates: Arc<Fates>,
}

/// Starts a proxy of the SQS at a URL, and answers where it is.
pub async fn start(sqs: &str, fates: Arc<Fates>) -> String {
    let proxy = Proxy {
        sqs: Upstream::new(sqs),
        fates,
    };
    table_proxy::serve(
        Router::new()
            .fallback(respond)
            .with_state(proxy),
    )
    .await
}

async fn respond(State(proxy): State<Proxy>, mut asked: Asked) -> Response {
    if (proxy.fates).strikes(Kind::QueueDown, &asked.operation, 500) {
        return down();
    }
    let request = &mut asked.request;
    match asked.operation.as_str() {
        "ReceiveMessage" => {
            request["VisibilityTimeout"] = json!(VISIBILITY);
            // What is late or in sight again is looked for more often than every 20 seconds.
            request["WaitTimeSeconds"] = json!(1);
        }
        "SendMessageBatch" => return proxy.send_batch(asked).await,
        _ => {}
    }
    let answer = proxy
        .sqs
        .pass_on_as(&asked, &asked.request)
        .await;
    answer.into_response()
}

impl Proxy {
    async fn send_batch(&self, mut asked: Asked) -> Response {
        let fates = &self.fates;
        if fates.strikes(Kind::Killed, "before the queue", 50) {
            self.kill(&asked.sender).await;
            return down();
        }
        let mut twice = Vec::new();
        let entries = asked.request["Entries"].as_array_mut();
        for entry in entries.into_iter().flatten() {
            if fates.strikes(Kind::Never, "message", 400) {
                entry["DelaySeconds"] = json!(NEVER);
            } else if fates.strikes(Kind::Late, "message", 600) {
                entry["DelaySeconds"] = json!(LATE);
            } else if fates.strikes(Kind::Twice, "message", 700) {
                twice.push(again(entry));
            }
            if fates.strikes(Kind::Poisoned, "message", 700) {
                let mut poison = again(entry);
                poison["MessageBody"] = json!(self.poison(entry));
                twice.push(poison);
            }
        }
        let answer = self
            .sqs
            .pass_on_as(&asked, &asked.request)
            .await;
        if !twice.is_empty() {
            let more = json!({"QueueUrl": asked.request["QueueUrl"], "Entries": twice});
            self.sqs.pass_on_as(&asked, &more).await;
        }
        if fates.strikes(Kind::Killed, "after the queue", 50) {
            self.kill(&asked.sender).await;
            return down();
        }
        answer.into_response()
    }

    /// A message that no worker can follow.
    fn poison(&self, entry: &Value) -> String {
        let text = entry["MessageBody"]
            .as_str()
            .unwrap_or_default();
        let mut message: Value = serde_json::from_str(text).unwrap_or_default();
        match self.fates.below("poison", 5) {
            0 => "<<< not JSON".to_owned(),
            1 => "{}".to_owned(),
            2 => {
                message["version"] = json!(99);
                message.to_string()
            }
            _ => {
                for name in ["actionId", "action_id"] {
                    if message.get(name).is_some() {
                        message[name] = json!("p0-a0");
                    }
                }
                message.to_string()
            }
        }
    }

    async fn kill(&self, sender: &str) {
        if let Some(lambda) = self
            .fates
            .lambda
            .get()
            .and_then(std::sync::Weak::upgrade)
        {
            lambda.kill(sender).await;
        }
    }
}

/// Copies a message under another id of the batch.
fn again(entry: &Value) -> Value {
    let mut again = entry.clone();
    let id = entry["Id"].as_str().unwrap_or_default();
    again["Id"] = json!(format!("{id}-again"));
    again
}

fn down() -> Response {
    let body = json!({"__type": "com.amazonaws.sqs#ServiceUnavailable", "message": "injected"});
    (StatusCode::SERVICE_UNAVAILABLE, body.to_string()).into_response()
}
