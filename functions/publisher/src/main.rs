//! The `publisher` function: wires the publisher to the table's stream.

use lambda_runtime::{Error, LambdaEvent, service_fn};
use model::Clock;
use publisher::{Publisher, StreamEvent};
use runtime::{Start, config, queue::Queue, telemetry};
use store::Store;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    telemetry::init(env!("CARGO_PKG_NAME"));
    let start = Start::cold().await?;
    let table = config::table(&start.environment)?;
    let store = Store::new(start.dynamodb, &table, Clock::system());
    let sqs = aws_sdk_sqs::Client::new(&start.aws);
    let queue = Queue::new(sqs.clone(), &config::webhook_queue_url(&start.environment)?);
    let sweep_queue = Queue::new(sqs, &config::sweep_queue_url(&start.environment)?);
    let publisher = &Publisher::new(store, queue, sweep_queue);
    lambda_runtime::run(service_fn(async |event: LambdaEvent<StreamEvent>| {
        Ok::<_, Error>(publisher.handle(event.payload).await)
    }))
    .await
}
