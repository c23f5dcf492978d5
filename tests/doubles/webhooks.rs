//! Receives the webhooks that localstripe signs and sends.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use axum::{
    Router,
    body::Bytes,
    extract::State,
    http::{HeaderMap, StatusCode},
};
use hmac::{Hmac, KeyInit, Mac};
use serde_json::{Value, json};
use sha2::Sha256;
use tests::support::{comes, serve};

use super::Doubled;

/// Received and signed events, oldest first.
type Events = Arc<Mutex<Vec<Value>>>;

/// The secret that signs webhooks.
const SECRET: &str = "whsec_workdesk";

/// Where a double's webhooks go.
pub struct Webhooks {
    events: Events,
    /// Where they are received.
    pub url: String,
}

/// Takes in what is signed, and nothing else.
async fn receive(State(events): State<Events>, headers: HeaderMap, body: Bytes) -> StatusCode {
    let signature = headers.get("stripe-signature");
    let signature = signature.and_then(|value| value.to_str().ok());
    if !signature.is_some_and(|signature| is_signed(signature, &body)) {
        return StatusCode::BAD_REQUEST;
    }
    let event = serde_json::from_slice(&body).unwrap();
    events.lock().unwrap().push(event);
    StatusCode::NO_CONTENT
}

/// Returns whether a `Stripe-Signature`, `t=…,v1=…`, is that of a body: HMAC-SHA-256 of `t.body`. A
/// relay of real webhooks also refuses an old `t`; here the clock is the test's.
fn is_signed(signature: &str, body: &[u8]) -> bool {
    let part = |name: &str| {
        let mut parts = signature
            .split(',')
            .filter_map(|part| part.split_once('='));
        parts
            .find(|(own, _)| *own == name)
            .map(|(_, value)| value)
    };
    let (Some(at), Some(v1)) = (part("t"), part("v1")) else {
        return false;
    };
    let mut mac = Hmac::<Sha256>::new_from_slice(SECRET.as_bytes()).unwrap();
    mac.update(format!("{at}.").as_bytes());
    mac.update(body);
    let digits = |at: usize| u8::from_str_radix(v1.get(at..at + 2)?, 16).ok();
    let v1: Option<Vec<u8>> = (0..v1.len())
        .step_by(2)
        .map(digits)
        .collect();
    v1.is_some_and(|v1| mac.verify_slice(&v1).is_ok())
}

impl Webhooks {
    /// Has the double send its webhooks here.
    pub async fn from(doubled: &Doubled) -> Self {
        let events = Events::default();
        let routes = Router::new()
            .fallback(receive)
            .with_state(Arc::clone(&events));
        let url = serve(routes).await;
        let body = json!({"url": url, "secret": SECRET});
        // Each has a name of its own, since the double keeps them for as long as it runs.
        let name = url.rsplit(':').next().unwrap();
        let request = doubled
            .http
            .post(format!("{}/_config/webhooks/{name}", doubled.url));
        let answer = request
            .body(body.to_string())
            .header("content-type", "application/json");
        assert!(
            answer
                .send()
                .await
                .unwrap()
                .status()
                .is_success()
        );
        Self { events, url }
    }

    /// The event of this type about that record. It comes about a second late.
    pub async fn comes(&self, kind: &str, record: &str) -> Value {
        let find_event = || {
            let events = self.events.lock().unwrap();
            let mut own = events
                .iter()
                .filter(|event| event["type"] == kind);
            own.find(|event| event["data"]["object"]["id"] == record)
                .cloned()
        };
        let mut event = None;
        let waits = async {
            while event.is_none() {
                tokio::time::sleep(Duration::from_millis(20)).await;
                event = find_event();
            }
        };
        comes(kind, waits).await;
        event.unwrap()
    }
}
