//! The `sweeper` function: wires the sweeper to its schedule.

use lambda_runtime::{Error, LambdaEvent, service_fn};
use model::Clock;
use runtime::{Start, config, queue::Queue, telemetry};
use store::Store;
use sweeper::Sweeper;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    telemetry::init(env!("CARGO_PKG_NAME"));
    let start = Start::cold().await?;
    let table = config::table(&start.environment)?;
    let store = Store::new(start.dynamodb, &table, Clock::system());
    let sqs = aws_sdk_sqs::Client::new(&start.aws);
    let queue = Queue::new(sqs.clone(), &config::queue_url(&start.environment)?);
    let webhook_queue = Queue::new(sqs, &config::webhook_queue_url(&start.environment)?);
    let sweeper = &Sweeper::new(store, queue, webhook_queue);
    lambda_runtime::run(service_fn(async |_: LambdaEvent<serde_json::Value>| {
        Ok::<_, Error>(sweeper.sweep().await)
    }))
    .await
}
