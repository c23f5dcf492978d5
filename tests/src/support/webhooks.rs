//! Webhooks: a receiver, and the sender that calls it.

use std::{
    collections::VecDeque,
    sync::{Arc, LazyLock},
};

use aws_lambda_events::sqs::{SqsBatchResponse, SqsEvent, SqsMessage};
use axum::{
    Router,
    body::Bytes,
    extract::State,
    http::{HeaderMap, StatusCode},
    response::{IntoResponse, Response},
};
use base64::{Engine, prelude::BASE64_STANDARD};
use hmac::{Hmac, KeyInit, Mac};
use local::engines::EngineQueues;
use serde_json::{Value, json};
use sha2::Sha256;
use shared::{
    App,
    clock::Clock,
    config::{ApiUrl, SigningSecrets},
    model::{
        base::{Id, OrganizationId, QueueMessage, WebhookId},
        updates::DeliveryMessage,
    },
    queue::Queue,
    store::updates::WebhookEvent,
};
use targets::webhooks::WebhookCaller;
use tokio::sync::Mutex;
use updates::Updates;
use webhook_sender::WebhookSender;

use crate::program::bodies;

use super::{
    Api, Caller,
    described::{DOCUMENT, Schema},
    engines, roles, serve,
};

/// The URL of the API in messages.
pub const API_URL: &str = "https://api.workdesk.example";

/// A message as the document describes it.
static MESSAGE: LazyLock<Schema> = LazyLock::new(|| {
    let message = "/webhooks/message/post/requestBody/content/application~1json/schema";
    Schema::of_answer(DOCUMENT.pointer(message).unwrap())
});

/// The caller of webhooks, with the deployment secrets of the tests.
pub fn caller(local: bool) -> WebhookCaller {
    let secrets = SigningSecrets::new(["a deployment secret of the tests".to_owned()]);
    WebhookCaller::new(secrets.unwrap(), ApiUrl::new(API_URL), local)
}

/// The state of the updates function.
pub async fn updates(app: &App, queues: &EngineQueues, local: bool) -> Updates {
    let queue = Queue::new(engines::engines().await.sqs(), &queues.webhooks.url);
    Updates::new(app.clone(), queue, caller(local))
}

/// A message that a receiver got.
#[derive(Clone, Debug)]
pub struct Received {
    pub headers: HeaderMap,
    pub body: String,
}

impl Received {
    /// A header of the message.
    pub fn header(&self, name: &str) -> &str {
        self.headers[name].to_str().unwrap()
    }

    /// The body as JSON.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap()
    }
}

/// A receiver of webhooks on a port of its own.
#[derive(Clone, Debug)]
pub struct Receiver {
    pub url: String,
    state: Arc<Mutex<Desk>>,
}

#[derive(Debug, Default)]
struct Desk {
    received: Vec<Received>,
    /// The answers to come: status and headers. 204 after the last.
    answers: VecDeque<Planned>,
    /// The status of every other answer; 204 without one.
    always: Option<u16>,
    /// The time that an answer takes on a clock, in milliseconds.
    takes: Option<(Clock, i64)>,
}

type Planned = (u16, Vec<(&'static str, String)>);

impl Receiver {
    /// Starts a receiver, which ends with the test's runtime.
    pub async fn start() -> Self {
        let state = Arc::new(Mutex::new(Desk::default()));
        let routes = Router::new()
            .fallback(take)
            .with_state(state.clone());
        let url = format!("{}/in", serve(routes).await);
        Self { url, state }
    }

    /// Has the next message answered so.
    pub async fn answers(&self, status: u16, headers: &[(&'static str, &str)]) {
        let headers = headers
            .iter()
            .map(|(name, value)| (*name, (*value).to_owned()));
        let mut desk = self.state.lock().await;
        desk.answers
            .push_back((status, headers.collect()));
    }

    /// Has every message answered so, from now on.
    pub async fn always_answers(&self, status: u16) {
        self.state.lock().await.always = Some(status);
    }

    /// Has every answer take so many milliseconds on the clock, from now on.
    pub async fn takes(&self, clock: &Clock, millis: i64) {
        self.state.lock().await.takes = Some((clock.clone(), millis));
    }

    /// The messages that came since the last call, each as the document describes it.
    pub async fn take(&self) -> Vec<Received> {
        let received = std::mem::take(&mut self.state.lock().await.received);
        for message in &received {
            let faults = MESSAGE.faults(&message.json());
            assert!(faults.is_empty(), "{faults:?}: {}", message.body);
        }
        received
    }
}

async fn take(State(desk): State<Arc<Mutex<Desk>>>, headers: HeaderMap, body: Bytes) -> Response {
    let mut desk = desk.lock().await;
    let body = String::from_utf8(body.to_vec()).unwrap();
    desk.received
        .push(Received { headers, body });
    if let Some((clock, millis)) = &desk.takes {
        clock.advance(*millis);
    }
    let always = desk.always.unwrap_or(204);
    let (status, headers) = desk
        .answers
        .pop_front()
        .unwrap_or((always, Vec::new()));
    let mut response = StatusCode::from_u16(status)
        .unwrap()
        .into_response();
    for (name, value) in headers {
        response
            .headers_mut()
            .insert(name, value.parse().unwrap());
    }
    response
}

impl Api {
    /// The queue of webhook deliveries.
    pub async fn webhook_queue(&self) -> Queue {
        Queue::new(engines::engines().await.sqs(), &self.queues.webhooks.url)
    }

    /// Creates a webhook. Returns its id and secret.
    pub async fn has_webhook(&self, by: &Caller, url: &str, types: &[&str]) -> (i64, String) {
        let webhook = json!({"url": url, "types": types});
        let created = by.posts("/api/webhooks", webhook).await;
        let secret = created["secret"]
            .as_str()
            .unwrap()
            .to_owned();
        (created["id"].as_i64().unwrap(), secret)
    }

    /// A delivery of an event of organization 1 to its first webhook that wants it. Returns its id.
    pub async fn has_delivery(&self, event: &str, record: i64) -> String {
        let (kind, action) = event.split_once('.').unwrap();
        let entry = json!({
            "type": kind, "recordId": record, "action": action, "version": 1, "at": self.clock.now(),
        });
        let event = WebhookEvent::of_entry(1, &serde_json::from_value(entry).unwrap());
        let webhooks = self.store.webhooks();
        let messages = webhooks
            .deliver(self.home.id, vec![event])
            .await
            .unwrap();
        messages[0].delivery_id.clone()
    }

    /// A sender under its role.
    pub async fn webhook_sender(&self) -> WebhookSender {
        self.webhook_sender_with(caller(true))
            .await
    }

    /// A sender with another caller.
    pub async fn webhook_sender_with(&self, caller: WebhookCaller) -> WebhookSender {
        let store = self.store_of("webhook-sender");
        WebhookSender::new(store, self.webhook_queue().await, caller)
    }

    /// The messages of the webhook queue, which are taken out of it.
    pub async fn webhook_messages(&self) -> Vec<SqsMessage> {
        self.messages_of(&self.queues.webhooks.url)
            .await
    }

    /// The messages of a queue, which are taken out of it.
    pub(super) async fn messages_of(&self, url: &str) -> Vec<SqsMessage> {
        let sqs = engines::engines().await.sqs();
        let bodies = bodies(&sqs, url).await.into_iter();
        bodies.map(event_message).collect()
    }

    /// Hands messages to a sender. No message may fail.
    pub async fn sends(&self, messages: Vec<SqsMessage>) {
        let response = handled(&self.webhook_sender().await, messages).await;
        assert!(response.batch_item_failures.is_empty(), "{response:?}");
    }

    /// Hands all messages of the queue to a sender. Returns how many there were.
    pub async fn sends_webhooks(&self) -> usize {
        let messages = self.webhook_messages().await;
        let count = messages.len();
        self.sends(messages).await;
        count
    }

    /// The delivery of the newest record. Deliveries of one instant are in no order.
    pub async fn newest_delivery(&self, by: &Caller, webhook: i64) -> Value {
        let deliveries = self
            .deliveries(by, webhook)
            .await
            .into_iter();
        let newest = deliveries.max_by_key(|delivery| delivery["change"]["recordId"].as_i64());
        newest.unwrap()
    }

    pub async fn deliveries(&self, by: &Caller, webhook: i64) -> Vec<Value> {
        let path = format!("/api/webhooks/{webhook}/deliveries");
        by.reads(&path)
            .await
            .as_array()
            .unwrap()
            .clone()
    }
}

/// Has a sender handle messages, under its role.
pub async fn handled(sender: &WebhookSender, messages: Vec<SqsMessage>) -> SqsBatchResponse {
    let mut event = SqsEvent::default();
    event.records = messages;
    roles::acting_as("webhook-sender", sender.handle(event)).await
}

/// The message that names a delivery.
pub fn message_of(tenant: OrganizationId, webhook: i64, delivery: &str) -> SqsMessage {
    let message = DeliveryMessage {
        organization_id: tenant,
        webhook_id: WebhookId::new(webhook).unwrap(),
        delivery_id: delivery.to_owned(),
        delay: std::time::Duration::ZERO,
    };
    event_message(message.to_text().unwrap())
}

fn event_message(body: String) -> SqsMessage {
    let mut message = SqsMessage::default();
    message.message_id = Some(body.clone());
    message.body = Some(body);
    message
}

/// Verifies a message as its receiver does (Standard Webhooks 1.0), except its age.
pub fn verified(secret: &str, message: &Received) -> bool {
    let key = BASE64_STANDARD
        .decode(secret.strip_prefix("whsec_").unwrap())
        .unwrap();
    let [id, at] = ["webhook-id", "webhook-timestamp"].map(|name| message.header(name));
    let mut mac = Hmac::<Sha256>::new_from_slice(&key).unwrap();
    mac.update(format!("{id}.{at}.{}", message.body).as_bytes());
    let expected = format!("v1,{}", BASE64_STANDARD.encode(mac.finalize().into_bytes()));
    let mut signatures = message
        .header("webhook-signature")
        .split(' ');
    signatures.any(|signature| signature == expected)
}
