//! `/api/tasks`, and what its operations have in common

mod by_time;
mod count;
mod create;
mod delete;
mod list;
mod move_beside;
mod move_to_phase;
mod reorder;
mod update;

use serde_json::Value;
use tests::support::Caller;

async fn task(caller: &Caller, id: i64) -> Value {
    let tasks = caller.reads("/api/tasks").await;
    let mut tasks = tasks.as_array().unwrap().iter();
    tasks
        .find(|task| task["id"] == id)
        .unwrap()
        .clone()
}
