use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use aws_sdk_sqs::{
    operation::send_message::builders::SendMessageFluentBuilder,
    types::{MessageAttributeValue, QueueAttributeName},
};
use axum::{Json, routing::post};
use serde_json::json;

use crate::{
    engines::Engines,
    function::{Functions, Invocation},
};

use super::*;

/// A queue and a worker behind HTTP, which fails according to the message's body.
struct Stack {
    engines: Engines,
    sqs: Client,
    functions: Functions,
    events: Arc<Mutex<Vec<Value>>>,
}

impl Stack {
    async fn start() -> Self {
        let events = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&events);
        let worker = post(move |Json(event): Json<Value>| async move {
            seen.lock().unwrap().push(event.clone());
            work(&event)
        });
        let path = "/2015-03-31/functions/action-worker/invocations";
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0")
            .await
            .unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let routes = axum::Router::new().route(path, worker);
        tokio::spawn(async move { axum::serve(listener, routes).await });

        let engines = Engines::in_memory().await.unwrap();
        Self {
            sqs: engines.sqs(),
            engines,
            functions: Functions::at(&url).unwrap(),
            events,
        }
    }

    fn mapping(&self) -> EventSourceMapping<impl Fn(Value) -> Invocation + use<>> {
        EventSourceMapping::new(
            self.sqs.clone(),
            self.engines.queues().actions.clone(),
            self.functions
                .invoker("action-worker", Duration::from_secs(10)),
        )
    }

    async fn send(&self, bodies: &[&str]) {
        for body in bodies {
            self.message()
                .message_body(*body)
                .send()
                .await
                .unwrap();
        }
    }

    fn message(&self) -> SendMessageFluentBuilder {
        let url = &self.engines.queues().actions.url;
        self.sqs.send_message().queue_url(url)
    }

    /// Returns the number of messages in the queue, hidden ones included.
    async fn remaining(&self) -> u32 {
        let names = [
            QueueAttributeName::ApproximateNumberOfMessages,
            QueueAttributeName::ApproximateNumberOfMessagesNotVisible,
        ];
        let url = &self.engines.queues().actions.url;
        let get = self
            .sqs
            .get_queue_attributes()
            .queue_url(url);
        let get = get.set_attribute_names(Some(names.to_vec()));
        let attributes = get
            .send()
            .await
            .unwrap()
            .attributes
            .unwrap();
        let numbers = names.map(|name| {
            attributes[&name]
                .parse::<u32>()
                .unwrap()
        });
        numbers.iter().sum()
    }

    fn bodies(&self) -> Vec<String> {
        let events = self.events.lock().unwrap();
        let mut bodies: Vec<_> = events
            .iter()
            .flat_map(|event| event["Records"].as_array().unwrap())
            .map(|record| {
                record["body"]
                    .as_str()
                    .unwrap()
                    .to_owned()
            })
            .collect();
        bodies.sort();
        bodies
    }
}

fn work(event: &Value) -> (http::StatusCode, String) {
    let records = event["Records"].as_array().unwrap();
    let ids_of = |body: &str| -> Vec<Value> {
        records
            .iter()
            .filter(|record| record["body"] == body)
            .map(|record| json!({"itemIdentifier": record["messageId"]}))
            .collect()
    };
    if !ids_of("crash").is_empty() {
        let error = json!({"errorType": "Error", "errorMessage": "crashed"});
        return (http::StatusCode::INTERNAL_SERVER_ERROR, error.to_string());
    }
    if !ids_of("babble").is_empty() {
        return (http::StatusCode::OK, "<<<".to_owned());
    }
    (
        http::StatusCode::OK,
        json!({"batchItemFailures": ids_of("poison")}).to_string(),
    )
}

#[tokio::test]
async fn a_batch_is_the_event_that_lambda_sends() {
    let stack = Stack::start().await;
    let attribute = MessageAttributeValue::builder()
        .data_type("String")
        .string_value("v1")
        .build()
        .unwrap();
    let message = stack.message().message_body("hello");
    let message = message.message_attributes("version", attribute);
    message.send().await.unwrap();
    let outcome = stack
        .mapping()
        .poll_once(Duration::ZERO)
        .await
        .unwrap();
    assert_eq!((outcome.received, outcome.failed), (1, 0));

    let events = stack.events.lock().unwrap().clone();
    let record = &events[0]["Records"][0];
    assert_eq!(record["body"], "hello");
    assert_eq!(record["md5OfBody"], "5d41402abc4b2a76b9719d911017c592");
    assert_eq!(record["attributes"]["ApproximateReceiveCount"], "1");
    assert!(record["attributes"]["SentTimestamp"].is_string());
    assert_eq!(record["messageAttributes"]["version"]["stringValue"], "v1");
    assert_eq!(record["eventSource"], "aws:sqs");
    assert_eq!(record["eventSourceARN"], stack.engines.queues().actions.arn);
    assert!(record["messageId"].is_string() && record["receiptHandle"].is_string());
}

#[tokio::test]
async fn a_poisoned_message_harms_no_neighbour() {
    let stack = Stack::start().await;
    stack.send(&["a", "poison", "b"]).await;
    let outcome = stack
        .mapping()
        .poll_once(Duration::ZERO)
        .await
        .unwrap();
    assert_eq!((outcome.received, outcome.failed), (3, 1));
    assert_eq!(stack.remaining().await, 1);
}

#[tokio::test]
async fn a_function_that_fails_keeps_the_whole_batch() {
    for failing in ["crash", "babble"] {
        let stack = Stack::start().await;
        stack.send(&["a", failing]).await;
        let outcome = stack
            .mapping()
            .poll_once(Duration::ZERO)
            .await
            .unwrap();
        assert_eq!((outcome.received, outcome.failed), (2, 2), "{failing}");
        assert_eq!(stack.remaining().await, 2, "{failing}");
    }
}

#[tokio::test]
async fn a_failed_message_stays_hidden_for_its_visibility_timeout() {
    let stack = Stack::start().await;
    stack.send(&["poison"]).await;
    stack
        .mapping()
        .poll_once(Duration::ZERO)
        .await
        .unwrap();
    let again = stack
        .mapping()
        .poll_once(Duration::ZERO)
        .await
        .unwrap();
    assert_eq!(again, BatchOutcome::default());
    assert_eq!(stack.remaining().await, 1);
}

#[tokio::test]
async fn it_runs_until_it_is_stopped_and_takes_batches_of_ten() {
    let stack = Stack::start().await;
    let bodies: Vec<String> = (10..35)
        .map(|number| number.to_string())
        .collect();
    stack
        .send(
            &bodies
                .iter()
                .map(String::as_str)
                .collect::<Vec<_>>(),
        )
        .await;

    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let mapping = stack.mapping();
    let running = tokio::spawn(async move {
        let stopped = async { stopped.await.unwrap_or_default() };
        mapping.run(stopped).await;
    });
    while stack.remaining().await > 0 {
        tokio::task::yield_now().await;
    }
    stop.send(()).unwrap();
    running.await.unwrap();

    assert_eq!(stack.bodies(), bodies);
    let events = stack.events.lock().unwrap();
    let sizes = events.iter().map(|event| {
        event["Records"]
            .as_array()
            .unwrap()
            .len()
    });
    assert_eq!(sizes.max(), Some(10));
}
