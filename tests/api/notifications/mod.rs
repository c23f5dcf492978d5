//! `/api/notifications`

mod count;
mod list;
mod preferences;
mod read;
mod unsubscribe;

use serde_json::Value;
use tests::support::{Api, Caller};

/// Gives a user unread notifications, the newest last, each a second after the one before it.
/// Returns their ids.
async fn has_some(api: &Api, caller: &Caller, count: i64) -> Vec<String> {
    let mut ids = Vec::new();
    for number in 1..=count {
        let millis = api.clock.now().millis() - (count - number) * 1_000;
        let id = format!("{millis}-comment-{number}-1");
        api.has_notification(caller, &id).await;
        ids.push(id);
    }
    ids
}

/// The ids of the rows of a list.
fn ids(rows: &[Value]) -> Vec<&str> {
    rows.iter()
        .map(|row| row["id"].as_str().unwrap())
        .collect()
}

async fn unread(caller: &Caller) -> Value {
    caller
        .get("/api/notifications/count")
        .await
        .expect(200)["unread"]
        .clone()
}
