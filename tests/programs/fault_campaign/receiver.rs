//! The receiver of a webhook for all events. Knows only its messages.

use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex},
    time::Duration,
};

use axum::{Router, body::Bytes, extract::State, http::StatusCode};
use serde_json::Value;
use tests::table_proxy;

/// A receiver on a port of its own.
#[derive(Clone, Debug)]
pub struct Receiver {
    pub url: String,
    told: Arc<Mutex<BTreeSet<String>>>,
}

impl Receiver {
    /// Starts a receiver that answers after a pause.
    pub async fn start(pause: Duration) -> Self {
        let changes = Arc::<Mutex<BTreeSet<String>>>::default();
        let take = async move |State(changes): State<Arc<Mutex<BTreeSet<String>>>>, body: Bytes| {
            tokio::time::sleep(pause).await;
            take(&changes, &body)
        };
        let url = table_proxy::serve(
            Router::new()
                .fallback(take)
                .with_state(changes.clone()),
        )
        .await;
        Self { url, told: changes }
    }

    /// Returns whether a message told of a change.
    pub fn has_told(&self, change: &str) -> bool {
        self.told
            .lock()
            .unwrap()
            .contains(change)
    }

    /// Returns the changes that no message tells.
    pub fn lacks(&self, changes: &[String]) -> Vec<String> {
        let delivered = self.told.lock().unwrap();
        let lost = changes
            .iter()
            .filter(|change| !delivered.contains(*change));
        lost.map(|change| format!("no webhook tells {change}"))
            .collect()
    }
}

fn take(changes: &Mutex<BTreeSet<String>>, body: &[u8]) -> StatusCode {
    let message: Value = serde_json::from_slice(body).unwrap_or_default();
    let change = &message["data"]["change"];
    // Notifications are not in the feed, and have no number.
    if let Some(number) = change["id"]
        .as_str()
        .and_then(|id| id.parse().ok())
    {
        changes
            .lock()
            .unwrap()
            .insert(name(number, change));
    }
    StatusCode::NO_CONTENT
}

/// Names a change by its identity: a delivery that is repeated may have another number in the
/// change feed. One with neither a version nor a part has its number instead.
pub fn name(number: i64, change: &Value) -> String {
    let name = ["type", "recordId", "part", "version", "action"]
        .map(|member| change[member].to_string())
        .join(" ");
    if change["version"].is_null() && change["part"].is_null() {
        format!("{name} {number}")
    } else {
        name
    }
}
