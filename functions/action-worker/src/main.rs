//! The `action-worker` function: wires the worker to its queue.

use action_worker::{Limits, Worker};
use aws_lambda_events::sqs::SqsEvent;
use lambda_runtime::{Error, LambdaEvent, service_fn};
use model::Clock;
use runtime::{Start, config, queue::Queue, telemetry};
use store::Store;
use targets::Targets;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    telemetry::init(env!("CARGO_PKG_NAME"));
    let start = Start::cold().await?;
    let table = config::table(&start.environment)?;
    let targets = Targets::of(&start)?;
    let limits = Limits::read(&start.environment)?;
    let store = Store::new(start.dynamodb, &table, Clock::system());
    let sqs = aws_sdk_sqs::Client::new(&start.aws);
    let queue = Queue::new(sqs, &config::queue_url(&start.environment)?);
    let worker = &Worker::new(store, queue, targets, limits);
    lambda_runtime::run(service_fn(async |event: LambdaEvent<SqsEvent>| {
        Ok::<_, Error>(worker.handle(event.payload).await)
    }))
    .await
}
