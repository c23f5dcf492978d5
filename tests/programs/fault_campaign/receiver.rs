//! The receiver of a webhook for all events, which knows only what its messages say.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
};

use axum::{Router, body::Bytes, extract::State, http::StatusCode};
use serde_json::Value;
use tests::table_proxy;

/// Changes by their numbers in the change feed.
type Changes = BTreeMap<i64, String>;

/// A receiver on a port of its own.
#[derive(Clone, Debug)]
pub struct Receiver {
    pub url: String,
    told: Arc<Mutex<Changes>>,
}

impl Receiver {
    pub async fn start() -> Self {
        let told = Arc::<Mutex<Changes>>::default();
        let routes = Router::new().fallback(take).with_state(told.clone());
        let url = table_proxy::serve(routes).await;
        Self { url, told }
    }

    /// Returns the numbered entries of the feed that the messages lack or tell in another way.
    pub fn differences(&self, entries: &[(i64, Value)]) -> Vec<String> {
        let told = self.told.lock().unwrap();
        let lost = entries.iter().filter_map(|(number, entry)| {
            let expected = text(entry);
            let found = told.get(number);
            (found != Some(&expected))
                .then(|| format!("a webhook tells {found:?} of {number}, which is {expected}"))
        });
        lost.collect()
    }
}

async fn take(State(told): State<Arc<Mutex<Changes>>>, body: Bytes) -> StatusCode {
    let message: Value = serde_json::from_slice(&body).unwrap_or_default();
    let change = &message["data"]["change"];
    // Notifications are not in the feed, and have no number.
    if let Some(number) = change["id"].as_str().and_then(|id| id.parse().ok()) {
        told.lock().unwrap().insert(number, text(change));
    }
    StatusCode::NO_CONTENT
}

fn text(change: &Value) -> String {
    let of = |name: &str| change[name].to_string();
    ["type", "recordId", "version", "action"].map(of).join(" ")
}
