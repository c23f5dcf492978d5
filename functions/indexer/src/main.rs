//! The `indexer` function: wires the indexer to the table's stream.

use indexer::Indexer;
use lambda_runtime::{Error, LambdaEvent, service_fn};
use model::Clock;
use runtime::{Start, config, queue::Queue, telemetry};
use store::Store;
use stream::StreamEvent;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    telemetry::init(env!("CARGO_PKG_NAME"));
    let start = Start::background().await?;
    let table = config::table(&start.environment)?;
    let store = Store::new(start.dynamodb, &table, Clock::system());
    let sqs = aws_sdk_sqs::Client::new(&start.aws);
    let dead_letters = config::change_dead_letter_queue_url(&start.environment)?;
    let indexer = &Indexer::new(store, Queue::new(sqs, &dead_letters));
    lambda_runtime::run(service_fn(async |event: LambdaEvent<StreamEvent>| {
        Ok::<_, Error>(indexer.handle(event.payload).await)
    }))
    .await
}
