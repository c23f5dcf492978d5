//! Receives the webhooks that localstripe signs and sends.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use axum::{Router, body::Bytes, extract::State, http::StatusCode};
use serde_json::{Value, json};

use super::Doubled;
use crate::support::comes;

/// What was received and is signed, oldest first.
type Events = Arc<Mutex<Vec<Value>>>;

/// Where a double's webhooks go.
pub struct Webhooks(Events);

impl Webhooks {
    /// Has the double send its webhooks here.
    pub async fn from(doubled: &Doubled) -> Self {
        let events = Events::default();
        let receive = |State(events): State<Events>, body: Bytes| async move {
            let event = serde_json::from_slice(&body).unwrap();
            events.lock().unwrap().push(event);
            StatusCode::NO_CONTENT
        };
        let routes = Router::new()
            .fallback(receive)
            .with_state(Arc::clone(&events));
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let here = format!("http://{}", listener.local_addr().unwrap());
        tokio::spawn(async move { axum::serve(listener, routes).await.unwrap() });
        let body = json!({"url": here, "secret": "whsec_workdesk"});
        // Each has a name of its own, since the double keeps them for as long as it runs.
        let name = here.rsplit(':').next().unwrap();
        let request = doubled
            .http
            .post(format!("{}/_config/webhooks/{name}", doubled.url));
        let answer = request
            .body(body.to_string())
            .header("content-type", "application/json");
        assert!(answer.send().await.unwrap().status().is_success());
        Self(events)
    }

    /// The event of this type about that record, which comes about a second after it happened.
    pub async fn comes(&self, kind: &str, record: &str) -> Value {
        let found = || {
            let events = self.0.lock().unwrap();
            let mut own = events.iter().filter(|event| event["type"] == kind);
            own.find(|event| event["data"]["object"]["id"] == record)
                .cloned()
        };
        let mut event = None;
        let waits = async {
            while event.is_none() {
                tokio::time::sleep(Duration::from_millis(20)).await;
                event = found();
            }
        };
        comes(kind, waits).await;
        event.unwrap()
    }
}
